/** The envelope of the CRM's answers, its errors, and the form of batch commands. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import {
  BatchResult,
  commandText,
  envelope,
  msUntilReset,
  readFault,
} from '../../../../../../core/integrations/crm/wire/envelope.ts';
import { rawAnswer } from '../../../../../../core/integrations/kit/call.ts';

const fault = (status: number, body: unknown) => readFault(rawAnswer(status, {}, Buffer.from(JSON.stringify(body))));

afterEach(() => vi.useRealTimers());

describe('an answer', () => {
  const schema = envelope(z.object({ ID: z.string() }));
  const time = { finish: 10, operating: 1, operating_reset_at: 20 };

  it('has a result, and the run time where the CRM returns it', () => {
    expect(schema.parse({ result: { ID: '7' }, time: { ...time, start: 9 } })).toEqual({ result: { ID: '7' }, time });
    expect(schema.parse({ result: { ID: '7' } })).toEqual({ result: { ID: '7' }, time: undefined });
  });

  it('without a result is invalid', () => expect(schema.safeParse({ time }).success).toBe(false));

  it('of a batch has maps of results, errors, totals and times', () => {
    const maps = {
      result: { a: null },
      result_error: { b: { error: 7, error_description: 'x' } },
      result_total: { a: 5 },
      result_time: { a: { operating: 1 } },
    };
    expect(BatchResult.parse(maps)).toEqual(maps);
    expect(BatchResult.safeParse({ ...maps, result_total: { a: 'x' } }).success).toBe(false);
    expect(BatchResult.safeParse({ result: {} }).success).toBe(false);
  });
});

describe('an error', () => {
  it.each([
    [
      503,
      { error: 'QUERY_LIMIT_EXCEEDED' },
      { verdict: 'limit', retryAfterMs: 1_000, code: 'QUERY_LIMIT_EXCEEDED', message: '' },
    ],
    [
      503,
      { error: 'OVERLOAD_LIMIT', error_description: 'x' },
      { verdict: 'rejected', code: 'OVERLOAD_LIMIT', message: 'x' },
    ],
    [400, { error: 0, error_description: 'x' }, { verdict: 'rejected', code: '0', message: 'x' }],
    [500, { error: '' }, { verdict: 'transient', message: '' }],
    [499, { error: 'X' }, { verdict: 'rejected', code: 'X', message: '' }],
    [403, { error: 'X' }, { verdict: 'unauthorized', code: 'X', message: '' }],
    [401, { error: 'X' }, { verdict: 'unauthorized', code: 'X', message: '' }],
    [200, { error: 'X' }, { verdict: 'rejected', code: 'X', message: '' }],
  ])('%i %j', (status, body, expected) => expect(fault(status, body)).toEqual(expected));

  it.each([{}, [], { error: null }, { error: {} }])('is not %j', body => expect(fault(400, body)).toBeUndefined());

  it('of a blocked method has the time until its reset, where the CRM returns it', () => {
    const blocked = { error: 'OPERATION_TIME_LIMIT' };
    const expected = { verdict: 'rejected', code: 'OPERATION_TIME_LIMIT', message: '' };
    expect(fault(429, { ...blocked, time: { operating_reset_at: 30, finish: 10 } })).toEqual({
      ...expected,
      retryAfterMs: 20_000,
    });
    for (const time of [undefined, {}, 'soon']) expect(fault(429, { ...blocked, time })).toEqual(expected);
  });
});

it('the time until a reset is measured by our clock where the CRM does not return its own', () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 10_000 });
  expect(msUntilReset({ operating_reset_at: 15 })).toBe(5_000);
});

describe('the text of a command', () => {
  it.each([
    [{}, 'm'],
    [{ none: undefined }, 'm'],
    [{ a: null, b: false, c: 0 }, 'm?a=&b=false&c=0'],
    [{ a: { b: { c: [1, { d: 'x' }] }, none: undefined } }, 'm?a[b][c][0]=1&a[b][c][1][d]=x'],
    [{ a: [] }, 'm'],
  ])('with %j is %s', (parameters, text) => expect(decodeURIComponent(commandText('m', parameters))).toBe(text));
});
