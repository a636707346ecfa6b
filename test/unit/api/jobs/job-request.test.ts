import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { jobTerms, withJobRequest } from '../../../../api/jobs/job-request.ts';
import { parseAllowRule } from '../../../../core/egress/allow-rules.ts';
import { ServiceError } from '../../../../core/runtime/errors.ts';

const rules = [parseAllowRule('127.0.0.1:9100') ?? []].flat();
const now = Date.parse('2026-01-31T08:00:00Z');
const faultsOf = (body: object) => {
  try {
    jobTerms(body, rules, now);
    return [];
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'invalid-input') return error.faults;
    throw error;
  }
};

describe('what a request for a job may say besides its own input', () => {
  it('is part of the body of a row that is an object, a choice of objects, or nothing', () => {
    const callback = { url: 'https://receiver.example/' };
    const object = withJobRequest(z.object({ a: z.string() }));
    expect(object.parse({ a: 'x', callback, other: 1 })).toEqual({ a: 'x', callback });
    const choice = withJobRequest(z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]));
    expect(choice.parse({ b: 'x', callback })).toEqual({ b: 'x', callback });
    expect(withJobRequest(undefined).parse(undefined)).toEqual({});
    expect(object.safeParse({ a: 'x', callback: 'https://receiver.example/' }).success).toBe(false);
    expect(object.safeParse({ a: 'x', startBy: 'tomorrow' }).success).toBe(false);
  });

  it('is taken over as it will be used', () => {
    expect(
      jobTerms(
        { callback: { url: 'HTTPS://Receiver.example/a b' }, startBy: '2026-01-31T09:00:00+00:30' },
        rules,
        now,
      ),
    ).toEqual({
      callbackUrl: 'https://receiver.example/a%20b',
      startBy: new Date('2026-01-31T08:30:00Z'),
    });
    expect(jobTerms({}, rules, now)).toEqual({});
    expect(jobTerms(undefined, rules, now)).toEqual({});
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
  ])('a callback to %s is refused with its pointer', url => {
    expect(faultsOf({ callback: { url } })).toMatchObject([{ pointer: '/callback/url' }]);
  });

  it('an exception of EGRESS_ALLOW is accepted', () => {
    expect(jobTerms({ callback: { url: 'http://127.0.0.1:9100/hook' } }, rules, now)).toMatchObject({
      callbackUrl: 'http://127.0.0.1:9100/hook',
    });
  });

  it('a time to start that has passed is refused, together with what else is wrong', () => {
    expect(
      faultsOf({ startBy: '2026-01-31T08:00:00Z', callback: { url: 'http://10.0.0.1/' } }),
    ).toMatchObject([{ pointer: '/callback/url' }, { pointer: '/startBy' }]);
  });
});
