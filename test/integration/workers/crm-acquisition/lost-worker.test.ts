/** A worker is killed, or stands still, in the middle of an acquisition: another goes on where it was, nothing is lost. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import contract from '../../../../workers/crm-acquisition/contract.ts';
import handler from '../../../../workers/crm-acquisition/handler.ts';
import type { ApiClient } from '../../../support/api-client.ts';
import { endProcesses, type ServiceProcess } from '../../../support/processes.ts';
import { type Sandbox, startSandbox } from '../../../support/sandbox.ts';
import { startTestService, type TestService } from '../../../support/test-service.ts';
import { startWorkerProcess } from '../../../support/worker-process.ts';

let sandbox: Sandbox;
let service: TestService;
let client: ApiClient;
let first: ServiceProcess;

beforeAll(async () => {
  sandbox = await startSandbox();
});
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
  await endProcesses([first]);
  await service.close();
  await sandbox.control.reset('crm');
});
afterAll(() => sandbox?.close());

const count = async (query: string): Promise<number> => {
  const { rows } = await service.database.pool.query(query);
  return z.array(z.object({ count: z.coerce.number() })).parse(rows)[0]?.count ?? -1;
};
const locations = () => count('select count(*) as count from crm_location');
const aside = () => count('select count(*) as count from acquired_row');
const requests = async () => (await sandbox.control.requests('crm')).total;

/** Has the first worker read two pages, and wait for the answer to its third request. */
async function readTwoPages(): Promise<string> {
  await sandbox.control.fault('crm', { fault: 'slow', path: 'batch', skip: 2, delayMs: 3_000 });
  const { id } = await client.askJob('POST', '/apps/crm/v1/locations/acquire', { body: {} });
  await expect.poll(aside, { timeout: 30_000, interval: 20 }).toBe(5_000);
  await expect.poll(requests, { interval: 20 }).toBe(3);
  return id;
}

async function haveAnotherFinish(id: string) {
  service.startWorker([{ contract, handler: await handler.open({}, service) }]);
  return await client.jobWhen(id);
}

it('killed: another goes on from the last page that was put aside; readers see nothing before all is there', async () => {
  const id = await readTwoPages();
  first.kill('SIGKILL');
  await first.ended;
  expect(await locations()).toBe(0);

  const job = await haveAnotherFinish(id);
  const rows = await locations();
  expect(job).toMatchObject({ error: null, state: 'succeeded' });
  expect(job.result).toMatchObject({ full: true, read: rows, created: rows });
  expect(rows).toBe((await sandbox.control.rows('crm', 'locations')).count);
  // The one that was lost is asked for again; the two before it are not.
  expect(await requests()).toBe(Math.ceil(rows / 2_500) + 1);
  expect(await aside()).toBe(0);
});

it('standing still: another does the same, and the first one does nothing more when it wakes', async () => {
  const id = await readTwoPages();
  first.kill('SIGSTOP');
  expect(await haveAnotherFinish(id)).toMatchObject({ error: null, state: 'succeeded' });
  const rows = await locations();
  expect(rows).toBe((await sandbox.control.rows('crm', 'locations')).count);
  const asked = await requests();

  first.kill('SIGCONT');
  await expect.poll(() => first.output(), { timeout: 30_000 }).toContain('another run took the job over');
  expect([await locations(), await aside(), await requests()]).toEqual([rows, 0, asked]);
});
