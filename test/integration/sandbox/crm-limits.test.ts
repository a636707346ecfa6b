/** Tests the simulated CRM's batches and its two limits: burst of calls, and run time of a method. */
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { callCrm } from '../../support/crm-webhook.ts';
import { useSandbox } from '../../support/sandbox.ts';

const sandbox = useSandbox();

afterEach(() => sandbox.control.reset('crm'));

const post = (method: string, body?: object) => callCrm(sandbox.url, method, body);

describe('a batch', () => {
  it('runs in order, uses earlier results, returns 200 despite failed commands, and encodes empty maps as lists', async () => {
    const { status, result } = await post('batch', {
      cmd: {
        lead: 'crm.lead.get?id=1002',
        agent: 'user.get?FILTER[ID]=$result[lead][ASSIGNED_BY_ID]',
        missing: 'crm.lead.get?id=7',
        deals: 'crm.deal.list?select[]=ID',
        nested: 'batch?cmd[a]=profile',
      },
    });
    expect(status).toBe(200);
    const lead = z.looseObject({ result: z.looseObject({ lead: z.looseObject({ ASSIGNED_BY_ID: z.string() }) }) });
    const assigned = lead.parse(result).result.lead.ASSIGNED_BY_ID;
    expect(result).toMatchObject({
      result: { agent: [{ ID: assigned }] },
      result_error: {
        missing: { error: '', error_description: 'Not found' },
        nested: { error: 'ERROR_BATCH_METHOD_NOT_ALLOWED' },
      },
      result_total: { deals: 3_200 },
      result_next: { deals: 50 },
    });
    const { result: fine } = await post('batch', { cmd: { a: 'profile' } });
    expect(fine).toMatchObject({ result_error: [], result_total: [], result_next: [] });
  });

  it('resolves references whatever their case and spacing', async () => {
    const cmd = { lead: 'crm.lead.get?id=1002', agent: 'user.get?FILTER[ID]=$ RESULT [lead][ASSIGNED_BY_ID]' };
    expect((await post('batch', { cmd })).result).toMatchObject({ result_total: { agent: 1 } });
  });

  it('fails single commands with the fault "command-error", before or after their execution', async () => {
    const cmd = Object.fromEntries([1, 2, 3].map(id => [`add${id}`, `crm.lead.add?fields[TITLE]=Lead+${id}`]));
    const add = async (rule: object) => {
      const before = (await sandbox.control.rows('crm', 'leads')).count;
      await sandbox.control.fault('crm', { fault: 'command-error', path: 'crm.lead.add', skip: 1, ...rule });
      const { status, result } = await post('batch', { cmd });
      return { status, result, added: (await sandbox.control.rows('crm', 'leads')).count - before };
    };
    expect(await add({ code: 'OPERATION_TIME_LIMIT' })).toMatchObject({
      status: 200,
      added: 2,
      result: {
        result: { add1: expect.any(Number), add3: expect.any(Number) },
        result_error: { add2: { error: 'OPERATION_TIME_LIMIT' } },
        result_time: { add2: { operating_reset_at: expect.any(Number) } },
      },
    });
    expect(await add({ executed: true })).toMatchObject({
      added: 3,
      result: { result_error: { add2: { error: 'INTERNAL_SERVER_ERROR' } } },
    });
  });

  it('stops at the first error with "halt"', async () => {
    const cmd = { a: 'profile', b: 'no.such.method', c: 'profile' };
    const { result } = await post('batch', { halt: 1, cmd });
    expect(Object.keys(z.looseObject({ result: z.looseObject({}) }).parse(result).result)).toEqual(['a']);
  });

  it('with more than 50 commands is rejected', async () => {
    const cmd = Array.from({ length: 51 }, () => 'profile');
    expect(await post('batch', { cmd })).toMatchObject({ status: 400, error: 'ERROR_BATCH_LENGTH_EXCEEDED' });
  });
});

describe('limits', () => {
  const statuses = (calls: number): Promise<number[]> =>
    Promise.all(Array.from({ length: calls }, async () => (await post('profile', {})).status));

  it('allow a burst of 50 calls, reject the next, then allow two calls per second', async () => {
    await sandbox.control.settings('crm', { callsPerSecond: 0.001 });
    expect(await statuses(50)).toEqual(Array.from({ length: 50 }, () => 200));
    expect(await post('profile', {})).toMatchObject({ status: 503, error: 'QUERY_LIMIT_EXCEEDED' });
    await sandbox.control.settings('crm', { callsPerSecond: 2 });
    await expect.poll(async () => (await post('profile', {})).status).toBe(200);
  });

  it('count a batch as one call', async () => {
    await sandbox.control.settings('crm', { callsPerSecond: 0.001, callCapacity: 2 });
    const cmd = Array.from({ length: 50 }, () => 'profile');
    expect([await post('batch', { cmd }), await post('batch', { cmd })].map(({ status }) => status)).toEqual([
      200, 200,
    ]);
    expect((await post('batch', { cmd })).status).toBe(503);
  });

  it('block a method that used up its run time, and return the time of the reset', async () => {
    await sandbox.control.settings('crm', { operatingLimitSeconds: 0.5 });
    const answers = [];
    for (let call = 1; call <= 4; call += 1) answers.push(await post('crm.deal.list', {}));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    expect(answers[3]).toMatchObject({ error: 'OPERATION_TIME_LIMIT' });
    expect(answers[0]?.time?.operating_reset_at).toBeGreaterThan(Date.now() / 1000);
    expect((await post('crm.lead.list', {})).status).toBe(200);
  });
});
