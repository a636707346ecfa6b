/** A worker is killed or suspended during a CRM mirror update: another one resumes it, and nothing is lost. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import contract from '../../../../workers/crm-acquisition/contract.ts';
import handler from '../../../../workers/crm-acquisition/handler.ts';
import type { ApiClient } from '../../../support/api-client.ts';
import { type ServiceProcess, stopProcesses } from '../../../support/processes.ts';
import { useSandbox } from '../../../support/sandbox.ts';
import { startTestService, type TestService } from '../../../support/test-service.ts';
import { startWorkerProcess } from '../../../support/worker-process.ts';

const sandbox = useSandbox();
let service: TestService;
let client: ApiClient;
let first: ServiceProcess;

beforeEach(async () => {
  await sandbox.control.settings('crm', { callLimit: false, operatingLimitSeconds: 0 });
  service = await startTestService('lost-acquisition', {
    sandboxUrl: sandbox.url,
    contracts: new Map([[contract.kind, contract]]),
    lockSeconds: 3,
  });
  client = await service.client(['crm:sync']);
  first = startWorkerProcess(service, sandbox.url, [contract.kind]);
  await first.ready;
});
afterEach(async () => {
  await stopProcesses([first]);
  await service.close();
  await sandbox.control.reset('crm');
});

const count = async (query: string): Promise<number> => {
  const { rows } = await service.database.pool.query(query);
  return z.array(z.object({ count: z.coerce.number() })).parse(rows)[0]?.count ?? -1;
};
const locations = () => count('select count(*) as count from crm_location');
const staged = () => count('select count(*) as count from staged_row');
const requests = async () => (await sandbox.control.requests('crm')).total;

/** Lets the first worker read two pages and wait for the response to its third request. */
async function readTwoPages(): Promise<string> {
  await sandbox.control.fault('crm', { fault: 'slow', path: 'batch', skip: 2, delayMs: 3_000 });
  const { id } = await client.requestJob('POST', '/apps/crm/v1/locations/acquire', { body: {} });
  await expect.poll(staged, { interval: 20 }).toBe(5_000);
  await expect.poll(requests, { interval: 20 }).toBe(3);
  return id;
}

async function finishWithAnother(id: string) {
  service.startWorker([{ contract, handler: await handler.open({}, service) }]);
  return await client.waitForJob(id);
}

it('resumes at the last staged page after a kill; readers see no partial state', async () => {
  const id = await readTwoPages();
  first.kill('SIGKILL');
  await first.ended;
  expect(await locations()).toBe(0);

  const job = await finishWithAnother(id);
  const rows = await locations();
  expect(job).toMatchObject({ error: null, state: 'succeeded' });
  expect(job.result).toMatchObject({ full: true, read: rows, created: rows });
  expect(rows).toBe((await sandbox.control.rows('crm', 'locations')).count);
  // Only the lost request is repeated, not the two before it.
  expect(await requests()).toBe(Math.ceil(rows / 2_500) + 1);
  expect(await staged()).toBe(0);
});

it('resumes a suspended worker’s job; the suspended worker changes nothing when it continues', async () => {
  const id = await readTwoPages();
  first.kill('SIGSTOP');
  expect(await finishWithAnother(id)).toMatchObject({ error: null, state: 'succeeded' });
  const rows = await locations();
  expect(rows).toBe((await sandbox.control.rows('crm', 'locations')).count);
  const requestsBefore = await requests();

  first.kill('SIGCONT');
  await expect.poll(() => first.output()).toContain('another run has taken the job over');
  expect([await locations(), await staged(), await requests()]).toEqual([rows, 0, requestsBefore]);
});
