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
  new UpstreamError('upstream-failed', 'The CRM failed.', {
    ...{ system: 'crm', transient: true, maybeExecuted: true },
    ...failure,
  });
const call = { operation: 'GET /leads/7', status: 500, at: '2026-01-31T00:00:00Z' };

it.each([
  ['The CRM', 'the CRM'],
  ['Thermal cameras', 'Thermal cameras'],
  ['Of The CRM', 'Of The CRM'],
])('the title %s within a sentence is %s', (title, name) => expect(nameOf({ name: 'x', title })).toBe(name));

describe('the error', () => {
  it('is transient as the failure says, whatever its code', () => {
    expect(failed().transient).toBe(true);
    expect(failed({ transient: false }).transient).toBe(false);
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
    expect(logFields).toEqual({ upstream: { system: 'crm', code: 'X', maybeExecuted: true, ...call } });
  });

  it('has its cause', () => {
    const cause = new Error('reset');
    expect(failed({ cause }).cause).toBe(cause);
  });
});

describe('beforeSending', () => {
  it('states that the call itself was not executed', () => {
    const error = failed({ status: 500 });
    expect(beforeSending(error)).toMatchObject({
      ...{ code: 'upstream-failed', message: 'The CRM failed.', cause: error },
      failure: { system: 'crm', status: 500, transient: true, maybeExecuted: false },
    });
  });

  it('leaves other errors as they are', () => {
    const error = new Error('other');
    expect(beforeSending(error)).toBe(error);
  });
});

it('an incomplete list is transient, and was read only', () =>
  expect(incompleteList(system, 'deals', { expected: 3, received: 2 })).toMatchObject({
    ...{ code: 'upstream-failed', message: 'The CRM counted 3 deals and returned 2.' },
    failure: { system: 'crm', code: 'incomplete', transient: true, maybeExecuted: false },
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
    async error => {
      await expect(map(Promise.reject(error))).rejects.toBe(error);
    },
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
  [failed({ maybeExecuted: false }), true],
  [failed({ maybeExecuted: true }), false],
  [new ServiceError('conflict', 'x'), true],
  [new Error('other'), false],
])('the call was definitely not executed: case %#', (error, known) => expect(definitelyNotExecuted(error)).toBe(known));

describe('an outage', () => {
  it.each([{ unavailable: true }, { down: true }, { overLimit: true }])('is a failure that is %j', change => {
    const error = failed(change);
    expect(outageOf(error)).toBe(error.failure);
  });

  it.each([failed(), failed({ unavailable: false, down: false, overLimit: false }), new ServiceError('conflict', 'x')])(
    'is not %s',
    error => expect(outageOf(error)).toBeUndefined(),
  );
});
