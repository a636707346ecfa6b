/** A revoked CRM key fails the whole job instead of every row of it. */
import { beforeAll, expect, it } from 'vitest';
import eventOrders from '../../../../workers/event-orders/contract.ts';
import handler from '../../../../workers/event-orders/handler.ts';
import { useSandbox } from '../../../support/sandbox.ts';
import { useService } from '../../../support/test-service.ts';

const contract = { ...eventOrders, attempts: 1, backoffMs: 10 };

const sandbox = useSandbox();
const service = useService('event orders revoked key', () => ({
  sandboxUrl: sandbox.url,
  contracts: new Map([[contract.kind, contract]]),
  env: { CRM_REQUESTS_PER_SECOND: '100', CRM_REQUEST_BURST: '10000' },
}));

beforeAll(async () => {
  await sandbox.control.settings('crm', { callLimit: false, operatingLimitSeconds: 0 });
  await sandbox.control.settings('events', { orders: 60 });
  await sandbox.control.data('events', 'orders', 'reset');
  service.startWorker([{ contract, handler: await handler.open({}, service) }]);
});

it('fails with the reason, creates no lead, and repeats the orders once the key is valid again', async () => {
  const client = await service.client(['events']);
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
