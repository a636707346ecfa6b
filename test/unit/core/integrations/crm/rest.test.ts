/** Calls of the CRM's methods over HTTP, alone and in batches, and the waits that its limits ask for. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { CrmConfig } from '../../../../../core/integrations/crm/config.ts';
import type { Command, CrmRest } from '../../../../../core/integrations/crm/rest.ts';
import { batches, openCrmRest } from '../../../../../core/integrations/crm/rest.ts';
import { withCallContext } from '../../../../../core/integrations/kit/call-context.ts';
import { readConfig } from '../../../../../core/runtime/config.ts';
import { recordSleeps } from '../../../../support/recorded-sleeps.ts';
import type { Reply } from '../../../../support/vendor.ts';
import { once, recordedBudgets, unlimited, useVendor, vendorContext } from '../../../../support/vendor.ts';

const sleeps = recordSleeps(ms => void vi.setSystemTime(Date.now() + ms));
const waits = () => sleeps.map(({ ms }) => ms);

const system = { name: 'crm', title: 'The CRM' };
const Row = z.object({ ID: z.string() });
const get = 'POST /rest/1/secret/crm.lead.get';
const batch = 'POST /rest/1/secret/batch';

const vendor = await useVendor();
let rest: CrmRest;

const opened = (env: Record<string, string> = {}, budgets = unlimited) => {
  const config = readConfig(CrmConfig, { CRM_URL: `${vendor.url}/rest/1/secret`, ...env });
  return openCrmRest(config, system, vendorContext({}, { budgets }).tools(system, 'configured'));
};
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 });
  rest = opened();
});
afterEach(() => vi.useRealTimers());

const read = { class: 'read', method: 'crm.lead.get', parameters: { id: 7 }, answer: Row } as const;
const rejected = (error: string | number, status = 400, more: object = {}): Reply => ({
  status,
  json: { error, error_description: 'text', ...more },
});
const batched = (answers: object): Reply => ({
  json: { result: { result: [], result_error: [], result_total: [], result_time: [], ...answers } },
});
const commandsOf = (...keys: string[]): Command[] =>
  keys.map(key => ({ key, method: 'crm.lead.get', parameters: { id: key } }));
const sentCommands = () => vendor.received.map(({ body }) => Object(body).cmd);

describe('a call', () => {
  it('sends its parameters as JSON, and returns the result', async () => {
    vendor.on(get, { json: { result: { ID: '7' } } });
    expect(await once(() => rest.call(read))).toEqual({ ID: '7' });
    await once(() => rest.call({ class: 'read', method: 'crm.lead.get', answer: Row }));
    expect(vendor.received.map(({ body }) => body)).toEqual([{ id: 7 }, {}]);
  });

  it.each([
    [400, 'INVALID_ARG_VALUE', { code: 'INVALID_ARG_VALUE', message: 'text', kind: 'rejected' }],
    [401, 'expired_token', { code: 'expired_token', kind: 'rejected' }],
    [500, 'INTERNAL_SERVER_ERROR', { code: 'INTERNAL_SERVER_ERROR', kind: 'failing' }],
  ])('%i %s is an error', async (status, error, failure) => {
    vendor.on(get, rejected(error, status));
    await expect(once(() => rest.call(read))).rejects.toMatchObject({ failure: { status, ...failure } });
  });

  it('is not repeated after the block of an overload', async () => {
    vendor.on(get, rejected('OVERLOAD_LIMIT', 503));
    await expect(rest.call(read)).rejects.toMatchObject({
      code: 'upstream-unavailable',
      message: expect.stringContaining('its support must remove the block'),
      failure: { kind: 'rejected', system: 'crm', code: 'OVERLOAD_LIMIT' },
    });
    expect(vendor.received).toHaveLength(1);
  });

  it('may take a minute', async () => {
    vendor.on(get, { json: { result: { ID: '7' } } });
    const slow = vi.spyOn(globalThis, 'setTimeout');
    await once(() => rest.call(read));
    expect(slow.mock.calls.map(([, ms]) => ms)).toContain(65_000);
    slow.mockRestore();
  });
});

describe('the run time of a method', () => {
  it('that is used up is waited for, also by later calls of the method', async () => {
    const time = { operating: 481, operating_reset_at: 1_005, finish: 1_000 };
    vendor.on(get, rejected('OPERATION_TIME_LIMIT', 429, { time }), { json: { result: { ID: '7' } } });
    expect(await once(() => rest.call(read))).toEqual({ ID: '7' });
    expect(waits()).toEqual([5_000]);
  });

  it('that the CRM returns with answers is respected by background work', async () => {
    const time = { operating: 450, operating_reset_at: 1_030, finish: 1_000 };
    vendor.on(get, { json: { result: { ID: '7' }, time } });
    await withCallContext({ priority: 'background' }, () => rest.call(read));
    await once(() => rest.call(read));
    expect(waits()).toEqual([]);
    await withCallContext({ priority: 'background' }, () => rest.call(read));
    expect(waits()).toEqual([30_000]);
  });

  it('is that of all methods of a batch', async () => {
    const time = { operating: 450, operating_reset_at: 1_030, finish: 1_000 };
    vendor.on(batch, batched({ result: { a: 1 }, result_time: { a: time } }));
    vendor.on(get, { json: { result: { ID: '7' } } });
    const background = <T>(work: () => T) => withCallContext({ priority: 'background' }, work);
    await background(() => rest.batch('read', commandsOf('a')));
    await background(() => rest.call(read));
    expect(waits()).toEqual([30_000]);
  });

  it('blocks all methods of a batch that the CRM rejects as a whole', async () => {
    vendor.on(batch, rejected('OPERATION_TIME_LIMIT', 429), batched({ result: { a: 1, b: 2 } }));
    const commands = [...commandsOf('a'), { key: 'b', method: 'crm.deal.get', parameters: {} }];
    const background = withCallContext({ priority: 'background' }, () => rest.batch('read', commands));
    expect((await background).map(outcome => 'result' in outcome && outcome.result)).toEqual([1, 2]);
    expect(waits()).toEqual([60_000]);
  });

  it('of a blocked command is waited for before its repetition', async () => {
    const error = { error: 'OPERATION_TIME_LIMIT', error_description: 'text' };
    const time = { operating: 481, operating_reset_at: 1_004, finish: 1_000 };
    vendor.on(
      batch,
      batched({ result: { a: 1 }, result_error: { b: error }, result_time: { b: time } }),
      batched({ result: { b: 2 } }),
    );
    const outcomes = withCallContext({ priority: 'interactive' }, () => rest.batch('read', commandsOf('a', 'b')));
    expect((await outcomes).map(outcome => 'result' in outcome && outcome.result)).toEqual([1, 2]);
    expect(waits().filter(ms => ms > 0)).toEqual([4_000]);
    expect(sentCommands()).toEqual([{ a: 'crm.lead.get?id=a', b: 'crm.lead.get?id=b' }, { b: 'crm.lead.get?id=b' }]);
  });
});

describe('a batch', () => {
  it('sends all commands in one request, and returns their outcomes in order', async () => {
    vendor.on(
      batch,
      batched({
        result: { a: { ID: '1' }, c: null },
        result_total: { a: 5 },
        result_error: { b: { error: 'ACCESS_DENIED', error_description: 'no' }, e: { error: 7 } },
      }),
    );
    const outcomes = await once(() => rest.batch('read', commandsOf('a', 'b', 'c', 'd', 'e')));
    expect(outcomes).toEqual([
      { result: { ID: '1' }, total: 5 },
      { error: { code: 'ACCESS_DENIED', message: 'no' } },
      { result: null, total: undefined },
      { failure: expect.objectContaining({ failure: expect.objectContaining({ code: 'ERROR_UNEXPECTED_ANSWER' }) }) },
      { error: { code: '7', message: '' } },
    ]);
    expect(vendor.received.map(({ body }) => body)).toEqual([
      { halt: 0, cmd: Object.fromEntries([...'abcde'].map(key => [key, `crm.lead.get?id=${key}`])) },
    ]);
  });

  it('without commands sends nothing', async () => {
    expect(await once(() => rest.batch('read', []))).toEqual([]);
    expect(vendor.received).toEqual([]);
  });

  it.each(['read', 'create'] as const)('of the class %s repeats commands as the class permits', async callClass => {
    const failed = { result_error: { a: { error: 'INTERNAL_SERVER_ERROR' } } };
    vendor.on(batch, batched(failed), batched({ result: { a: 1 } }));
    const outcomes = withCallContext({ priority: 'interactive' }, () => rest.batch(callClass, commandsOf('a')));
    expect('failure' in ((await outcomes)[0] ?? {})).toBe(callClass === 'create');
    expect(vendor.received).toHaveLength(callClass === 'create' ? 1 : 2);
  });

  it('whose answer is lost may have been executed when it creates', async () => {
    vendor.on(batch, { drop: true });
    const lost = withCallContext({ priority: 'background' }, () => rest.batch('create', commandsOf('a')));
    await expect(lost).rejects.toMatchObject({ maybeExecuted: true });
    expect(vendor.received).toHaveLength(1);
  });

  it('has at most 50 commands', () =>
    expect([...batches(Array(120).fill(0))].map(({ length }) => length)).toEqual([50, 50, 20]));
});

describe('text of a user that looks like a reference', () => {
  const command = (title: string): Command => ({ key: 'x', method: 'crm.lead.get', parameters: { fields: { title } } });
  const sent = (title: string, refersBack = false) =>
    once(() => rest.batch('read', [...commandsOf('a'), { ...command(title), ...(refersBack && { refersBack }) }]));

  beforeEach(() => {
    vendor.on(batch, batched({ result: { a: 1, x: 2 } }));
    vendor.on(get, { json: { result: { ID: '9' } } });
  });

  it.each(['$result[a]', 'costs $RESULT', '$ \t result', '$\nresult', '$\n\r \nresult'])(
    '%j is sent alone',
    async title => {
      expect(await sent(title)).toEqual([
        { result: 1, total: undefined },
        { result: { ID: '9' }, total: undefined },
      ]);
      expect(sentCommands()[0]).toEqual({ a: 'crm.lead.get?id=a' });
      expect(vendor.received[1]).toMatchObject({ call: get, body: { fields: { title } } });
    },
  );

  it.each(['result', '$ x result', 'the $resul', '$'])('%j is no reference', async title => {
    await sent(title);
    expect(vendor.calls()).toEqual([batch]);
  });

  it('is a reference where the caller says so', async () => {
    await sent('$result[a]', true);
    expect(vendor.calls()).toEqual([batch]);
  });

  it.each([
    [400, { error: { code: 'X', message: 'text' } }],
    [401, { failure: expect.objectContaining({ failure: expect.objectContaining({ status: 401 }) }) }],
    [500, { failure: expect.objectContaining({ failure: expect.objectContaining({ status: 500 }) }) }],
  ])('has the outcome of its call: %i', async (status, outcome) => {
    vendor.on(get, rejected('X', status));
    expect((await sent('$result'))[1]).toEqual(outcome);
  });

  it('has empty texts when the CRM gives none', async () => {
    vendor.on(get, { status: 400, text: 'no' });
    expect((await sent('$result'))[1]).toEqual({ error: { code: '', message: '' } });
  });

  it('ends with other errors than those of the CRM', async () => {
    const fence = vi.fn(async () => {
      if (fence.mock.calls.length > 1) throw new Error('another run has the job');
    });
    const run = withCallContext({ priority: 'background', fence }, () =>
      rest.batch('read', [...commandsOf('a'), command('$result')]),
    );
    await expect(run).rejects.toThrow('another run has the job');
  });
});

it('the requests are limited: fewer in a burst than the CRM permits, ten of them for interactive callers', async () => {
  vendor.on(get, { json: { result: { ID: '7' } } });
  const { budgets, taken } = recordedBudgets();
  const limited = opened({ CRM_REQUESTS_PER_SECOND: '5', CRM_REQUEST_BURST: '100' }, budgets);
  await once(() => limited.call(read));
  await withCallContext({ priority: 'background' }, () => limited.call(read));
  expect(taken.map(({ budget, limit }) => [budget.name, budget.perSecond, limit])).toEqual([
    ['crm', 5, 98],
    ['crm', 5, 88],
  ]);
});
