/** Updates whose single commands the CRM could not execute for the moment are repeated, not reported as failed. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import crmSystem from '../../../../core/integrations/crm/system.ts';
import leadsJob from '../../../../workers/leads/contract.ts';
import handler from '../../../../workers/leads/handler.ts';
import { useJob } from '../../../support/use-job.ts';

const { sandbox, service, client } = useJob('lead command errors', { handler, scopes: ['leads'], attempts: 2 });
let ids: number[];

beforeEach(async () => {
  await sandbox.control.settings('crm', { callLimit: false, operatingLimitSeconds: 0 });
  const { latest } = await sandbox.control.rows('crm', 'leads', 60);
  ids = z
    .array(z.looseObject({ ID: z.int() }))
    .parse(latest)
    .map(({ ID }) => ID);
});
afterEach(() => sandbox.control.reset('crm'));

const failCommands = (rule: { code: string; times: number; skip?: number; executed?: boolean }) =>
  sandbox.control.fault('crm', { fault: 'command-error', path: 'crm.item.update', delayMs: 1, ...rule });

async function update(count: number, fields: object) {
  const leads = ids.slice(0, count).map(id => ({ id, fields }));
  const job = await client.requestJob('POST', '/apps/portal/v1/leads/update', { body: { leads } });
  return await client.waitForJob(job.id);
}
const readLeads = async () => [...(await crmSystem.client(service.systems).leads.getMany(ids)).values()];

describe('30 updates of which the CRM does not execute 20', () => {
  it.each([
    { code: 'OPERATION_TIME_LIMIT' },
    { code: 'QUERY_LIMIT_EXCEEDED' },
    { code: 'OVERLOAD_LIMIT' },
    { code: 'INTERNAL_SERVER_ERROR' },
    { code: 'ERROR_UNEXPECTED_ANSWER', executed: true },
  ])('all take effect in the end ($code)', async fault => {
    await failCommands({ ...fault, times: 20, skip: 10 });
    const { state, result } = await update(30, { comments: fault.code });
    expect(state).toBe('succeeded');
    expect(leadsJob.result.parse(result)).toMatchObject({ updated: 30, failed: 0 });
    expect((await readLeads()).filter(({ comments }) => comments === fault.code)).toHaveLength(30);
  });

  it.each([true, false])('add each phone once (executed: %s)', async executed => {
    await failCommands({ code: 'INTERNAL_SERVER_ERROR', times: 20, skip: 10, executed });
    const phone = '+971550029102';
    const { state, result } = await update(30, { phones: [phone] });
    expect(state).toBe('succeeded');
    expect(leadsJob.result.parse(result)).toMatchObject({ updated: 30, failed: 0 });
    expect((await readLeads()).flatMap(({ phones }) => phones.filter(one => one === phone))).toHaveLength(30);
  });
});

describe('updates that the CRM still does not execute after all retries', () => {
  it('end the run without using the attempt; the next run resumes at the checkpoint', async () => {
    // The first request of 50 succeeds; then each of the attempt's 7 requests of 10 fails.
    await failCommands({ code: 'QUERY_LIMIT_EXCEEDED', times: 70, skip: 50 });
    const { state, attempts, result } = await update(60, { comments: 'resumed' });
    expect({ state, made: attempts.made }).toEqual({ state: 'succeeded', made: 1 });
    expect(leadsJob.result.parse(result)).toMatchObject({ updated: 60, failed: 0 });
    expect((await readLeads()).filter(({ comments }) => comments === 'resumed')).toHaveLength(60);
  });
});
