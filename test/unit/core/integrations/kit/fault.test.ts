/** Error answers of vendors by their status, and the errors made of them. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { rawAnswer } from '../../../../../core/integrations/kit/call.ts';
import { faultByStatus, faultError, readRetryAfter } from '../../../../../core/integrations/kit/fault.ts';

const answer = (status: number, body = '{}', headers: Record<string, string> = {}) =>
  rawAnswer(status, headers, Buffer.from(body));
const page = '<!DOCTYPE html><title>Not found</title>';

afterEach(() => vi.useRealTimers());

describe('the status', () => {
  it.each([
    [200, undefined],
    [204, undefined],
    [299, undefined],
    [300, { verdict: 'redirected' }],
    [302, { verdict: 'redirected' }],
    [304, undefined],
    [400, { verdict: 'rejected' }],
    [401, { verdict: 'unauthorized' }],
    [403, { verdict: 'rejected' }],
    [404, { verdict: 'rejected' }],
    [429, { verdict: 'limit' }],
    [499, { verdict: 'rejected' }],
    [500, { verdict: 'transient' }],
    [503, { verdict: 'transient' }],
  ])('%i is %j', (status, fault) => expect(faultByStatus(answer(status))).toEqual(fault));

  it.each([429, 500, 503])('%i has the delay that the vendor asks for', status =>
    expect(faultByStatus(answer(status, '', { 'retry-after': '7' }))).toMatchObject({ retryAfterMs: 7_000 }),
  );

  it.each([401, 404])('%i has no delay', status =>
    expect(faultByStatus(answer(status, '', { 'retry-after': '7' }))).not.toHaveProperty('retryAfterMs'),
  );
});

describe('a page of HTML', () => {
  const html = { verdict: 'transient', code: 'html', message: 'a page instead of data' };

  it.each([200, 304, 403])('is transient with the status %i: it comes from a proxy', status =>
    expect(faultByStatus(answer(status, page))).toEqual(html),
  );

  it('is a redirect with the status 302, such as to a login page', () =>
    expect(faultByStatus(answer(302, page))).toEqual({ verdict: 'redirected' }));

  it.each([400, 404])('is a rejection with the status %i', status =>
    expect(faultByStatus(answer(status, page))).toEqual({ verdict: 'rejected' }),
  );
});

describe('a success', () => {
  it('with a body that is not JSON is transient', () =>
    expect(faultByStatus(answer(200, '{"id":'))).toEqual({
      verdict: 'transient',
      code: 'malformed',
      message: 'a body that is not JSON',
    }));

  it.each(['', 'null', '0'])('may have the body %j', body => expect(faultByStatus(answer(200, body))).toBeUndefined());
});

describe('Retry-After', () => {
  it.each([
    ['0', 0],
    ['120', 120_000],
    ['Thu, 01 Jan 1970 00:01:00 GMT', 50_000],
    ['Thu, 01 Jan 1970 00:00:05 GMT', 0],
    ['soon', undefined],
    ['x5', undefined],
    ['1.5x', undefined],
    [undefined, undefined],
  ])('%j is %j ms', (value, ms) => {
    vi.useFakeTimers({ toFake: ['Date'], now: 10_000 });
    expect(readRetryAfter(answer(429, '', value === undefined ? {} : { 'retry-after': value }))).toBe(ms);
  });
});

describe('the error', () => {
  const system = { name: 'crm', title: 'The CRM' };

  it.each([
    ['limit', 'upstream-unavailable', 'The CRM takes no more calls for now.', 'limit'],
    ['transient', 'upstream-failed', 'The CRM failed.', 'failing'],
    ['unauthorized', 'upstream-failed', 'The CRM rejects our credentials.', 'rejected'],
    ['rejected', 'upstream-failed', 'The CRM rejected the call.', 'rejected'],
  ] as const)('of %s is %s', (verdict, code, message, kind) => {
    const error = faultError(system, 418, { verdict });
    expect([error.code, error.message]).toEqual([code, message]);
    expect(error.failure).toStrictEqual({ kind, system: 'crm', status: 418 });
  });

  it('has the vendor’s code, text and delay', () =>
    expect(
      faultError(system, 503, { verdict: 'limit', code: 'X', message: 'text', retryAfterMs: 1_500 }),
    ).toMatchObject({ failure: { code: 'X', message: 'text', retryAfterMs: 1_500 }, retryAfterSeconds: 2 }));
});
