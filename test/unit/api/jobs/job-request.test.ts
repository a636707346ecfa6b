import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { jobOptions, withJobRequest } from '../../../../api/jobs/job-request.ts';
import { parseAllowRule } from '../../../../core/egress/allow-rules.ts';
import { ServiceError } from '../../../../core/runtime/errors.ts';

const rules = [parseAllowRule('127.0.0.1:9100') ?? []].flat();
const now = Date.parse('2026-01-31T08:00:00Z');
const faultsOf = (body: object) => {
  try {
    jobOptions(body, rules, now);
    return [];
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'invalid-input') return error.faults;
    throw error;
  }
};

describe('common members of job requests', () => {
  it('extend a body that is an object or absent; the body may be absent when no member is required', () => {
    const callback = { url: 'https://receiver.example/' };
    const object = withJobRequest(z.object({ a: z.string() }));
    expect(object.parse({ a: 'x', callback, other: 1 })).toEqual({ a: 'x', callback });
    expect(withJobRequest(undefined).parse(undefined)).toEqual({});
    expect(withJobRequest(z.object({ b: z.boolean().default(false) })).parse(undefined)).toEqual({ b: false });
    expect(object.safeParse(undefined).success).toBe(false);
    expect(object.safeParse({ a: 'x', callback: 'https://receiver.example/' }).success).toBe(false);
    expect(object.safeParse({ a: 'x', startBy: 'tomorrow' }).success).toBe(false);
  });

  it('are normalised', () => {
    expect(
      jobOptions(
        { callback: { url: 'HTTPS://Receiver.example/a b' }, startBy: '2026-01-31T09:00:00+00:30' },
        rules,
        now,
      ),
    ).toEqual({
      callbackUrl: 'https://receiver.example/a%20b',
      startBy: new Date('2026-01-31T08:30:00Z'),
    });
    expect(jobOptions({}, rules, now)).toEqual({});
    expect(jobOptions(undefined, rules, now)).toEqual({});
  });

  it.each([
    'ftp://receiver.example/',
    'https://user:word@receiver.example/',
    'https://receiver.example:8443/',
    'http://127.0.0.1/',
    'http://127.0.0.1:9101/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://10.1.2.3/',
    'http://169.254.169.254/latest/meta-data',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://localhost/',
    'http://api.localhost/',
    'receiver.example',
    '',
  ])('reject a callback to %s with its pointer', url =>
    expect(faultsOf({ callback: { url } })).toMatchObject([{ pointer: '/callback/url' }]),
  );

  it.each(['http://127.0.0.1/', 'http://localhost/', 'https://receiver.example:8443/'])(
    'name EGRESS_ALLOW when they reject a callback to %s',
    url => expect(faultsOf({ callback: { url } })).toMatchObject([{ detail: expect.stringContaining('EGRESS_ALLOW') }]),
  );

  it('accept a callback that EGRESS_ALLOW names', () => {
    expect(jobOptions({ callback: { url: 'http://127.0.0.1:9100/hook' } }, rules, now)).toMatchObject({
      callbackUrl: 'http://127.0.0.1:9100/hook',
    });
  });

  it('reject a startBy in the past, together with other faults', () => {
    expect(faultsOf({ startBy: '2026-01-31T08:00:00Z', callback: { url: 'http://10.0.0.1/' } })).toMatchObject([
      { pointer: '/callback/url' },
      { pointer: '/startBy' },
    ]);
  });
});
