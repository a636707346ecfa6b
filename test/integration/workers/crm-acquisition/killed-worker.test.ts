/** kill -9 of the worker in the middle of an acquisition: another one goes on where it was, and nothing is read twice. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import contract from '../../../../workers/crm-acquisition/contract.ts';
import handler from '../../../../workers/crm-acquisition/handler.ts';
import { endProcesses, type ServiceProcess, startProcess } from '../../../support/processes.ts';
import { type Sandbox, startSandbox } from '../../../support/sandbox.ts';
import { startTestService, type TestService } from '../../../support/test-service.ts';

let sandbox: Sandbox;
let service: TestService;
let doomed: ServiceProcess | undefined;

beforeAll(async () => {
  sandbox = await startSandbox();
  await sandbox.control.settings('crm', { callLimit: false, operatingLimitSeconds: 0 });
  service = await startTestService('killed-acquisition', {
    sandboxUrl: sandbox.url,
    contracts: new Map([[contract.kind, contract]]),
    hasty: true,
  });
});
afterAll(async () => {
  if (doomed) await endProcesses([doomed]);
  await service?.close();
  await sandbox?.close();
});

const count = async (query: string): Promise<number> => {
  const { rows } = await service.database.pool.query(query);
  return z.array(z.object({ count: z.coerce.number() })).parse(rows)[0]?.count ?? -1;
};

it('goes on from the last page that was put aside; readers see nothing of it before all is there', async () => {
  doomed = startProcess('workers/main.ts', {
    args: [contract.kind],
    env: {
      NODE_ENV: 'test',
      DATABASE_URL: service.databaseUrl,
      DATA_DIR: service.dataFolder,
      CRM_URL: `${sandbox.url}/crm/rest/1/sandbox`,
    },
  });
  await doomed.ready;
  // The third of five requests is the one that the worker does not live to see answered.
  await sandbox.control.fault('crm', { fault: 'slow', path: 'batch', skip: 2, delayMs: 3_000 });
  const client = await service.client(['crm:sync']);
  const { id } = await client.askJob('POST', '/apps/crm/v1/locations/acquire', { body: {} });
  const aside = `select count(*) as count from acquired_row where run = '${id}'`;
  await expect.poll(() => count(aside), { timeout: 30_000, interval: 20 }).toBe(5_000);
  await expect.poll(async () => (await sandbox.control.requests('crm')).total, { interval: 20 }).toBe(3);

  doomed.kill('SIGKILL');
  await doomed.ended;
  expect(await count('select count(*) as count from crm_location')).toBe(0);

  service.startWorker([{ contract, handler: await handler.open({}, service) }]);
  const job = await client.jobWhen(id);
  const rows = await count('select count(*) as count from crm_location');
  expect(job).toMatchObject({ state: 'succeeded', result: { full: true, read: rows, created: rows } });
  expect(rows).toBe((await sandbox.control.rows('crm', 'locations')).count);
  // The one that was lost is asked for again; the two before it are not.
  expect((await sandbox.control.requests('crm')).total).toBe(Math.ceil(rows / 2_500) + 1);
  expect(await count(aside)).toBe(0);
});
