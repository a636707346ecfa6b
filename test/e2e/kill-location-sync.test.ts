/** SIGKILL of a worker that adds locations to the CRM, and of an API process that creates a lead there. */
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { createEffects } from '../../core/effects/ledger.ts';
import { createCallBudgets } from '../../core/integrations/kit/call-budget.ts';
import { openIntegrationContext } from '../../core/integrations/kit/context.ts';
import { JobResource } from '../../core/jobs/resource.ts';
import { openDatabase } from '../../core/postgres/client.ts';
import { migrateDatabase } from '../../core/postgres/migrate.ts';
import { SyncReport } from '../../core/sync/report.ts';
import handler from '../../workers/location-sync/handler.ts';
import type { SyncServices } from '../../workers/location-sync/plan.ts';
import { crmSettings } from '../support/crm-webhook.ts';
import { jobContext } from '../support/job-context.ts';
import { type ServiceProcess, startProcess, stopProcesses } from '../support/processes.ts';
import { type Sandbox, startSandbox } from '../support/sandbox.ts';
import { removeServer, startOwnPostgres, temporaryFolder } from '../support/test-postgres.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const login = { id: 'test', secret: 'a secret of 32 characters or more' };
const city = 'Sharjah';

const settings = {
  ...crmSettings,
  CRM_REQUESTS_PER_SECOND: '100',
  CRM_REQUEST_BURST: '10000',
  LISTING_PORTAL_API_KEY: 'sandbox'.padEnd(40, '0'),
  LISTING_PORTAL_API_SECRET: 'sandbox'.padEnd(32, '0'),
  LISTING_PORTAL_CALLS_PER_MINUTE: '100000',
};
const urlsOf = ({ url }: Sandbox) => ({
  CRM_URL: `${url}/crm/rest/1/sandbox`,
  LISTING_PORTAL_URL: `${url}/listing-portal`,
});

let dataDir: string;
let databaseUrl: string;
let sandboxes: Sandbox[];
let service: Service;
const processes: ServiceProcess[] = [];

beforeAll(async () => {
  dataDir = await temporaryFolder();
  databaseUrl = (await startOwnPostgres(dataDir)).url;
  sandboxes = [await openSandbox(), await openSandbox()];
  service = await openService(sandboxes[0] ?? expect.fail());
});
afterAll(async () => {
  await stopProcesses(processes);
  for (const sandbox of sandboxes) await sandbox.close();
  await removeServer(dataDir);
});

async function openSandbox(): Promise<Sandbox> {
  const sandbox = await startSandbox();
  await sandbox.control.settings('crm', { callLimit: false, operatingLimitSeconds: 0 });
  await sandbox.control.settings('listing-portal', { callLimit: false });
  return sandbox;
}

interface Service {
  api: ServiceProcess;
  startWorker(): Promise<ServiceProcess>;
  createLead(): Promise<Response>;
  ask(method: string, path: string, body?: object): Promise<JobResource>;
}

async function openService(sandbox: Sandbox): Promise<Service> {
  const env = {
    NODE_ENV: 'test',
    PORT: '0',
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    BOOTSTRAP_CLIENT_ID: login.id,
    BOOTSTRAP_CLIENT_SECRET: login.secret,
    SETTLING_SECONDS: '10',
    ...settings,
    ...urlsOf(sandbox),
  };
  const api = startProcess('api/main.ts', { env });
  processes.push(api);
  const base = `${await api.ready}/v2`;
  const accessToken = await tokenOf(base);
  const authorization = `Bearer ${accessToken}`;
  return {
    api,
    createLead: () =>
      fetch(`${base}/apps/crm/v1/leads`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json', 'idempotency-key': 'interrupted' },
        body: JSON.stringify({ title: 'Villa' }),
      }),
    async startWorker() {
      // The sandbox executes the requests of the killed worker at once.
      const workerEnv = { ...env, SETTLING_SECONDS: '0' };
      const worker = startProcess('workers/main.ts', { env: workerEnv, args: ['location-sync'] });
      processes.push(worker);
      await worker.ready;
      return worker;
    },
    async ask(method, path, body) {
      const answer = await fetch(base + path, {
        method,
        headers: { authorization, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      return JobResource.parse(await answer.json());
    },
  };
}

async function tokenOf(base: string): Promise<string> {
  const answer = await fetch(`${base}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${login.id}:${login.secret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  return z.object({ access_token: z.string() }).parse(await answer.json()).access_token;
}

async function finished({ ask }: Service, { id }: JobResource): Promise<JobResource> {
  const job = () => ask('GET', `/jobs/${id}`);
  const hasFinished = async () => ['succeeded', 'failed', 'held'].includes((await job()).state);
  await expect.poll(hasFinished, { interval: 200 }).toBe(true);
  return await job();
}

async function reportOf(service: Service, job: JobResource): Promise<SyncReport> {
  const last = await finished(service, job);
  expect(last).toMatchObject({ state: 'succeeded', error: null });
  return SyncReport.parse(last.result);
}

async function releaseFirstRead(service: Service): Promise<void> {
  const job = await service.ask('POST', '/apps/listing-portal/v1/locations/update', { scope: { city } });
  expect(await finished(service, job)).toMatchObject({ state: 'held' });
  await reportOf(service, await service.ask('POST', `/jobs/${job.id}/release`));
}

/** The same sync in this process, with a separate database and without faults. */
async function undisturbed(sandbox: Sandbox): Promise<SyncReport> {
  const logger = pino({ level: 'silent' });
  const url = new URL(databaseUrl);
  const admin = openDatabase({ url: databaseUrl, poolSize: 1, logger, applicationName: 'test' });
  await admin.pool.query('create database undisturbed');
  await admin.close();
  url.pathname = '/undisturbed';
  await migrateDatabase({ url: url.href, logger });
  const database = openDatabase({ url: url.href, poolSize: 10, logger, applicationName: 'test' });
  try {
    const budgets = createCallBudgets(database);
    const env = { ...settings, ...urlsOf(sandbox) };
    const systems = openIntegrationContext({ env, sandboxUrl: undefined, budgets, logger });
    return await syncOnce({
      database,
      systems,
      effects: createEffects(database, logger, { settlingSeconds: 0 }),
    });
  } finally {
    await database.close();
  }
}

async function syncOnce(services: SyncServices): Promise<SyncReport> {
  const open = await handler.open({}, services);
  const payload = { what: 'sync', city, dryRun: false } as const;
  const first = await open.handle(payload, jobContext());
  if (!('held' in first)) expect.fail('the first read of the portal is not held');
  const released = { by: 'test', at: new Date(), plan: JSON.parse(JSON.stringify(first.held.plan)) };
  const done = await open.handle(payload, jobContext({ released }));
  return 'result' in done ? SyncReport.parse(done.result) : expect.fail('the job is held');
}

const Row = z.object({
  ID: z.int(),
  TITLE: z.string(),
  UF_CRM_8_PORTAL_ID: z.string(),
  UF_CRM_8_PARENT: z.int().nullable(),
});

const Rows = z.object({ count: z.int(), latest: z.array(Row) });

const rowsOf = async ({ url }: Sandbox) =>
  Rows.parse(await (await fetch(`${url}/control/crm/data/locations?limit=1000`)).json());

/** The added locations with their parents, without the ids that the CRM assigned. */
async function added(sandbox: Sandbox, before: number): Promise<string[]> {
  const { count, latest } = await rowsOf(sandbox);
  const titles = new Map(latest.map(row => [row.ID, row.TITLE]));
  return latest
    .slice(-(count - before))
    .map(row => `${row.TITLE} ${row.UF_CRM_8_PORTAL_ID} in ${titles.get(row.UF_CRM_8_PARENT ?? 0)}`)
    .sort();
}

it('adds the same locations as an undisturbed sync when the worker is killed while it adds them', async () => {
  const [disturbed = expect.fail(), other = expect.fail()] = sandboxes;
  const { count: before } = await rowsOf(disturbed);
  const expected = await undisturbed(other);
  expect(expected.created).toBeGreaterThan(20);
  const first = await service.startWorker();
  await releaseFirstRead(service);

  // Five batches read the CRM, further ones link its locations, and one looks for portal ids. The next one adds the first
  // locations; its response
  // is lost. The worker is killed while it looks them up, so that the database has no outcome of this batch.
  const skip = 6 + Math.ceil(expected.updated / 50);
  await disturbed.control.fault('crm', { fault: 'drop-after-commit', path: 'batch', skip });
  await disturbed.control.fault('crm', { fault: 'slow', path: 'batch', delayMs: 60_000, skip: skip + 1 });
  const job = await service.ask('POST', '/apps/crm/v1/locations/sync', { scope: { city } });
  const isLookingUp = async () =>
    (await disturbed.control.requests('crm')).requests.some(
      ({ fault, path }) => fault === 'slow' && path.includes('batch'),
    );
  await expect.poll(isLookingUp, { interval: 50 }).toBe(true);
  first.kill('SIGKILL');
  await first.ended;
  await service.startWorker();

  // The second worker continues with the plan of the first one, and finds the locations of the lost batch in the CRM.
  const { created, updated, failed } = await reportOf(service, job);
  expect({ created, updated, failed }).toEqual({ created: expected.created, updated: expected.updated, failed: 0 });
  expect(await added(disturbed, before)).toEqual(await added(other, before));
  expect((await rowsOf(disturbed)).count).toBe(before + expected.created);
});

// The key of the killed process is free 15 seconds after its death; ten seconds later its call can no longer be executed.
it('answers 503 while the CRM may still create the lead of a killed process, and creates it after that', async () => {
  const [sandbox = expect.fail()] = sandboxes;
  await sandbox.control.endFaults('crm');
  const leads = async () => (await sandbox.control.rows('crm', 'leads')).count;
  const before = await leads();
  const first = await openService(sandbox);
  await sandbox.control.fault('crm', { fault: 'slow', path: 'crm.item.add', delayMs: 120_000 });
  const interrupted = first.createLead().catch(() => undefined);
  const called = async () => JSON.stringify((await sandbox.control.requests('crm')).byPath).includes('crm.item.add');
  await expect.poll(called).toBe(true);
  first.api.kill('SIGKILL');
  const killedAt = performance.now();
  await interrupted;

  const statuses: number[] = [];
  let reply: Response;
  do {
    reply = await service.createLead();
    if (reply.status !== statuses.at(-1)) statuses.push(reply.status);
    const body = await reply.clone().json();
    if (reply.status === 503) {
      expect(body).toMatchObject({ type: expect.stringMatching(/\/v2\/problems\/effect-pending$/) });
      expect(Number(reply.headers.get('retry-after'))).toBeLessThanOrEqual(5);
    }
    await new Promise(resolve => setTimeout(resolve, 250));
  } while (reply.status !== 201 && performance.now() - killedAt < 40_000);
  expect(statuses).toEqual([409, 503, 201]);
  expect(await leads()).toBe(before + 1);
});
