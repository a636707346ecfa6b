/** Failures of vendor systems: what callers and logs get, and what connectors decide by them. */
import { describe, expect, it } from 'vitest';
import {
  beforeSending,
  definitelyNotExecuted,
  hasFinished,
  incompleteList,
  nameOf,
  orFalse,
  orUndefined,
  outageOf,
  UpstreamError,
  type UpstreamFailure,
} from '../../../../../core/integrations/kit/upstream-error.ts';
import { ServiceError } from '../../../../../core/runtime/errors.ts';

const system = { name: 'crm', title: 'The CRM' };
const failed = (failure: Partial<UpstreamFailure> = {}) =>
  new UpstreamError('upstream-failed', 'The CRM failed.', { kind: 'failing', system: 'crm', ...failure });
const call = { operation: 'GET /leads/7', status: 500, at: '2026-01-31T00:00:00Z' };

it.each([
  ['The CRM', 'the CRM'],
  ['Thermal cameras', 'Thermal cameras'],
  ['Of The CRM', 'Of The CRM'],
])('the title %s within a sentence is %s', (title, name) => expect(nameOf({ name: 'x', title })).toBe(name));

describe('the error', () => {
  it.each([
    ['rejected', { transient: false, maybeExecuted: false, isDown: false }],
    ['limit', { transient: true, maybeExecuted: false, isDown: false }],
    ['failing', { transient: true, maybeExecuted: true, isDown: true }],
    ['unreachable', { transient: true, maybeExecuted: false, isDown: true }],
    ['no-answer', { transient: true, maybeExecuted: true, isDown: true }],
    ['paused', { transient: true, maybeExecuted: false, isDown: false }],
    ['incomplete', { transient: true, maybeExecuted: false, isDown: false }],
    ['unclear', { transient: false, maybeExecuted: true, isDown: false }],
    ['repeated', { transient: true, maybeExecuted: false, isDown: false }],
  ] as const)('of the kind %s is %j, whatever its code', (kind, expected) =>
    expect(failed({ kind })).toMatchObject(expected),
  );

  it('of a call that was sent before calls were paused may have been executed', () => {
    expect(failed({ kind: 'paused', after: 'no-answer' })).toMatchObject({ maybeExecuted: true, isDown: false });
    expect(failed({ kind: 'paused', after: 'unreachable' }).maybeExecuted).toBe(false);
  });

  it.each([
    [1, 1],
    [1_000, 1],
    [1_001, 2],
    [0, 0],
    [undefined, undefined],
  ])('asks to retry after %j ms in %j s', (retryAfterMs, seconds) =>
    expect(failed(retryAfterMs === undefined ? {} : { retryAfterMs }).retryAfterSeconds).toBe(seconds),
  );

  it('names the call that failed', () => {
    expect(failed({ call }).upstream).toEqual({ system: 'crm', ...call });
    expect(failed().upstream).toBeUndefined();
  });

  it('is logged without the vendor’s text', () => {
    const { logFields } = failed({ status: 500, code: 'X', message: 'Sara Haddad', call });
    expect(logFields).toEqual({ upstream: { system: 'crm', kind: 'failing', code: 'X', ...call } });
  });

  it('has its cause', () => {
    const cause = new Error('reset');
    expect(failed({ cause }).cause).toBe(cause);
  });
});

describe('beforeSending', () => {
  it.each([
    ['failing', 'unreachable', true],
    ['no-answer', 'unreachable', true],
    ['unclear', 'rejected', false],
    ['rejected', 'rejected', false],
    ['limit', 'limit', true],
  ] as const)('states that the call itself was not executed: %s becomes %s', (kind, before, transient) => {
    const error = failed({ kind, status: 500 });
    const failure = { kind: before, system: 'crm', status: 500 };
    const expected = { code: 'upstream-failed', message: 'The CRM failed.', cause: error, maybeExecuted: false };
    expect(beforeSending(error)).toMatchObject({ ...expected, transient, failure });
  });

  it('forgets how the other call failed', () =>
    expect(beforeSending(failed({ kind: 'paused', after: 'no-answer' }))).toMatchObject({
      maybeExecuted: false,
      failure: { kind: 'paused' },
    }));

  it('leaves other errors as they are', () => {
    const error = new Error('other');
    expect(beforeSending(error)).toBe(error);
  });
});

it('an incomplete list is transient, and was read only', () =>
  expect(incompleteList(system, 'deals', { expected: 3, received: 2 })).toMatchObject({
    code: 'upstream-failed',
    message: 'The CRM counted 3 deals and returned 2.',
    failure: { kind: 'incomplete', system: 'crm', code: 'incomplete' },
  }));

describe.each([
  ['orUndefined', orUndefined, 7, undefined],
  ['orFalse', orFalse, true, false],
])('%s', (_, map, success, missing) => {
  it('maps a success and the vendor’s 404', async () => {
    expect(await map(Promise.resolve(7))).toBe(success);
    expect(await map(Promise.reject(failed({ status: 404 })))).toBe(missing);
  });

  it.each([failed({ status: 410 }), failed(), Object.assign(new Error('x'), { failure: { status: 404 } })])(
    'throws other errors: %s',
    error => expect(map(Promise.reject(error))).rejects.toBe(error),
  );
});

it('orFalse is true for a call that returns nothing', async () =>
  expect(await orFalse(Promise.resolve(undefined))).toBe(true));

it.each([
  [failed({ status: 400 }), true],
  [failed({ status: 500 }), true],
  [failed({ status: 501 }), true],
  [failed({ status: 502 }), false],
  [failed({ status: 503 }), false],
  [failed({ status: 504 }), false],
  [failed(), false],
  [new Error('other'), false],
])('the vendor has finished the call: case %#', (error, finished) => expect(hasFinished(error)).toBe(finished));

it.each([
  [failed({ kind: 'unreachable' }), true],
  [failed(), false],
  [new ServiceError('conflict', 'x'), true],
  [new Error('other'), false],
])('the call was definitely not executed: case %#', (error, known) => expect(definitelyNotExecuted(error)).toBe(known));

describe('an outage', () => {
  it.each(['limit', 'failing', 'unreachable', 'no-answer', 'paused'] as const)('is a failure of the kind %s', kind => {
    const error = failed({ kind });
    expect(outageOf(error)).toBe(error.failure);
  });

  it.each(['rejected', 'incomplete', 'unclear', 'repeated'] as const)('is none of the kind %s', kind =>
    expect(outageOf(failed({ kind }))).toBeUndefined(),
  );

  it('is no error of the service itself', () => expect(outageOf(new ServiceError('conflict', 'x'))).toBeUndefined());
});
