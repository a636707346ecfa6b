/** Killed workers leave no partial state, and logs contain no personal data. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { people } from '../../../../sandbox/kit/people.ts';
import contract from '../../../../workers/employee-resync/contract.ts';
import type { ApiClient } from '../../../support/api-client.ts';
import { comparableDocs, employeeDocs } from '../../../support/employee-documents.ts';
import { type ServiceProcess, stopProcesses } from '../../../support/processes.ts';
import { useSandbox } from '../../../support/sandbox.ts';
import { startTestService, type TestService } from '../../../support/test-service.ts';
import { startWorkerProcess } from '../../../support/worker-process.ts';

const root = '/apps/employees/v1/employees';
const pace = { CRM_REQUESTS_PER_SECOND: '100', CRM_REQUEST_BURST: '10000', LOG_LEVEL: 'debug' };
const size = 60;
const Items = z.object({ items: z.array(z.unknown()) });

const sandbox = useSandbox();
let service: TestService;
let client: ApiClient;
const workers: ServiceProcess[] = [];

beforeAll(async () => {
  await sandbox.control.settings('crm', { callLimit: false, operatingLimitSeconds: 0 });
  await sandbox.control.settings('employee-records', { employees: size });
  await sandbox.control.settings('directory', { users: 80 });
  service = await startTestService('employee-resync killed', {
    sandboxUrl: sandbox.url,
    contracts: new Map([[contract.kind, contract]]),
    env: pace,
  });
  client = await service.client(['employees:read', 'employees:sync']);
  // Two workers to be killed, and one that completes their jobs.
  for (const _ of [1, 2, 3]) workers.push(startWorkerProcess(service, sandbox.url, ['employee-resync'], pace));
});
afterAll(async () => {
  await stopProcesses(workers);
  await service?.close();
});

const list = async (): Promise<string> => {
  const { body } = await client.request('GET', `${root}?limit=200`);
  return JSON.stringify(Items.parse(body).items);
};

/** Kills the job's worker after the sandbox received this many matching calls; another worker completes the job. */
async function killedAt(method: 'PUT' | 'DELETE', calls: number, start: () => Promise<string>) {
  const before = workers.map(worker => worker.output().length);
  const id = await start();
  const isRunning = (one: ServiceProcess) => one.output().slice(before[workers.indexOf(one)]).includes(id);
  const made = async () => {
    const { requests } = await sandbox.control.requests('employee-records');
    return requests.filter(request => request.method === method).length;
  };
  await expect.poll(made, { interval: 20 }).toBeGreaterThan(calls);
  const worker = workers.find(one => one.isAlive() && isRunning(one));
  worker?.kill('SIGKILL');
  expect(await worker?.ended).toBe('SIGKILL');
  const seen = new Set<string>();
  let isOver = false;
  const reader = (async () => {
    while (!isOver) seen.add(await list());
  })();
  const job = await client.waitForJob(id, ({ state }) => ['succeeded', 'failed', 'held'].includes(state));
  isOver = true;
  await reader;
  expect(job).toMatchObject({ state: 'succeeded' });
  expect(workers.filter(isRunning)).toHaveLength(2);
  seen.add(await list());
  return { seen, result: contract.result.parse(job.result) };
}

/** Slows the calls down, so that the worker can be killed between them. */
const slowDown = (method: 'PUT' | 'DELETE') =>
  sandbox.control.fault('employee-records', { fault: 'slow', method, delayMs: 100, times: 40 });

describe('a killed worker', () => {
  it('leaves a resync, or the deletion of all records, to another one, which completes it, and logs no names, phones or e-mails', async () => {
    await slowDown('PUT');
    const sync = await client.requestJob('POST', `${root}/sync`);
    // A first resync is held.
    await client.waitForJob(sync.id, ({ state }) => state === 'held');
    const resynced = await killedAt('PUT', 12, async () => {
      await client.request('POST', `/jobs/${sync.id}/release`);
      return sync.id;
    });
    expect(resynced.result).toMatchObject({ failed: 0 });
    expect([...resynced.seen].filter(state => state !== '[]')).toEqual([await list()]);

    const docs = await employeeDocs(sandbox);
    expect(docs.filter(doc => doc.custom_directory_id !== null).length).toBeGreaterThan(40);
    const before = await list();
    await slowDown('DELETE');
    const deleteAll = () => client.requestJob('DELETE', `${root}?confirm=delete-all-employees`);
    const deleted = await killedAt('DELETE', 20, async () => (await deleteAll()).id);
    expect(deleted.result).toMatchObject({ deleted: size, failed: 0 });
    expect(await employeeDocs(sandbox)).toEqual([]);
    const after = await list();
    expect([...deleted.seen].sort()).toEqual([before, after].sort());
    expect(after.length).toBeGreaterThan(1_000);

    const back = await client.requestJob('POST', `${root}/restore`);
    expect(await client.waitForJob(back.id)).toMatchObject({ state: 'succeeded', result: { created: size } });
    expect(comparableDocs(await employeeDocs(sandbox))).toEqual(comparableDocs(docs));

    const logs = workers.map(worker => worker.output()).join('\n');
    expect(logs).toContain('job succeeded');
    expect(logs).toContain('vendor call');
    const leaked = people().flatMap(({ firstName, lastName, email, phone }) =>
      [`${firstName} ${lastName}`, lastName, email, email.split('@')[0] ?? email, phone.slice(4)].filter(text =>
        new RegExp(`\\b${text}\\b`, 'i').test(logs),
      ),
    );
    expect(leaked).toEqual([]);
  });
});
