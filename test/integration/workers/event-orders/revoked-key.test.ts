/** A revoked CRM key fails the whole job instead of every row of it. */
import { beforeAll, expect, it } from 'vitest';
import handler from '../../../../workers/event-orders/handler.ts';
import { useJob } from '../../../support/use-job.ts';

const { sandbox, client } = useJob('event orders revoked key', { handler, scopes: ['events'], attempts: 1 });

beforeAll(async () => {
  await sandbox.control.settings('events', { orders: 60 });
  await sandbox.control.data('events', 'orders', 'reset');
});

it('fails with the reason, creates no lead, and repeats the orders once the key is valid again', async () => {
  const run = async () => {
    const { id } = await client.requestJob('POST', '/apps/events/v1/orders/process', { body: {} });
    return await client.waitForJob(id);
  };
  const leads = async () => (await sandbox.control.rows('crm', 'leads')).count;
  const before = await leads();

  await sandbox.control.fault('crm', { fault: 'unauthorized', times: 1_000 });
  expect(await run()).toMatchObject({
    state: 'failed',
    error: { status: 502, detail: 'The CRM rejects our credentials: Wrong authorization data (NO_AUTH_FOUND).' },
  });
  expect(await leads()).toBe(before);

  await sandbox.control.reset('crm');
  await sandbox.control.settings('crm', { callLimit: false, operatingLimitSeconds: 0 });
  const repeated = await run();
  expect(repeated).toMatchObject({ state: 'succeeded', result: { failed: 0 } });
  expect(repeated.result).toHaveProperty('created', (await leads()) - before);
  expect((await leads()) - before).toBeGreaterThan(10);
});
