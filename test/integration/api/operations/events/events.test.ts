/** Event orders over HTTP: one lead per guest in the CRM, with the sandbox's events platform. */
import { createRequire } from 'node:module';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import eventsSystem from '../../../../../core/integrations/events/system.ts';
import { JobResource } from '../../../../../core/jobs/resource.ts';
import { SyncReport } from '../../../../../core/sync/report.ts';
import eventOrders from '../../../../../workers/event-orders/contract.ts';
import handler from '../../../../../workers/event-orders/handler.ts';
import type { ApiClient } from '../../../../support/api-client.ts';
import { type ServiceProcess, stopProcesses } from '../../../../support/processes.ts';
import { type Sandbox, startSandbox } from '../../../../support/sandbox.ts';
import { startTestService, type TestService } from '../../../../support/test-service.ts';
import { startWorkerProcess } from '../../../../support/worker-process.ts';

/** Without rate limits, in the sandbox and in the service. */
const pace = { CRM_REQUESTS_PER_SECOND: '100', CRM_REQUEST_BURST: '10000' };

let sandbox: Sandbox;
let service: TestService;
let client: ApiClient;
let leadsAtFirst: number;
let history: Awaited<ReturnType<typeof processRepeatedly>>;

const startService = (name: string, { url: sandboxUrl } = sandbox): Promise<TestService> =>
  startTestService(name, { sandboxUrl, contracts: new Map([[eventOrders.kind, eventOrders]]), env: pace });

async function startFastSandbox(): Promise<Sandbox> {
  const started = await startSandbox();
  await started.control.settings('crm', { callLimit: false, operatingLimitSeconds: 0 });
  return started;
}

beforeAll(async () => {
  sandbox = await startFastSandbox();
  await useOrders();
  service = await startService('event orders');
  client = await service.client(['events']);
  service.startWorker([{ contract: eventOrders, handler: await handler.open({}, service) }]);
  leadsAtFirst = (await sandbox.control.rows('crm', 'leads')).count;
  history = await processRepeatedly();
});
afterAll(async () => {
  await service.close();
  await sandbox.close();
});

/** Processes the orders of a new installation, then corrected orders, then refunds and cancellations. */
async function processRepeatedly() {
  const everything = { since: '2026-01-01T00:00:00Z' };
  const countOf = async (collection: string) => (await sandbox.control.rows('crm', collection)).count;
  const planned = { report: await run({ dryRun: true }), leads: await countOf('leads') };
  const first = { report: await run(), leads: await eventLeads() };
  const again = await run();
  const all = await run(everything);

  await sandbox.control.settings('events', { chapter: 1 });
  // The CRM makes the change, and its response is lost.
  await sandbox.control.fault('crm', { fault: 'drop-after-commit', path: 'crm.item.update', times: 3 });
  const corrected = { report: await run(), leads: await eventLeads(), duplicates: await duplicatePhones() };

  await sandbox.control.settings('events', { chapter: 2 });
  const before = await countOf('comments');
  const report = await run();
  const between = await countOf('comments');
  await run(everything);
  const notedAgain = (await countOf('comments')) - between;
  const refunded = { report, noted: between - before, notedAgain, leads: await eventLeads() };
  return { planned, first, again, all, corrected, refunded };
}

async function useOrders(): Promise<void> {
  await sandbox.control.settings('events', { orders: 240 });
  await sandbox.control.data('events', 'orders', 'reset');
}

const process = '/apps/events/v1/orders/process';

async function run(body: object = {}, by = client): Promise<SyncReport> {
  const { id } = await by.requestJob('POST', process, { body });
  const job = await by.waitForJob(id);
  expect(job).toMatchObject({ state: 'succeeded' });
  expect(job.sandboxes).toContain('events');
  return SyncReport.parse(job.result);
}

/** External ids of the leads from events, read from the CRM directly. */
async function eventLeads({ url } = sandbox): Promise<string[]> {
  const Rows = z.object({ result: z.array(z.object({ ID: z.string(), ORIGIN_ID: z.string() })) });
  const found: string[] = [];
  for (let last = '0'; ; ) {
    const answer = await fetch(`${url}/crm/rest/1/sandbox/crm.lead.list`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        filter: { ORIGINATOR_ID: 'eventbrite', '>ID': last },
        order: { ID: 'ASC' },
        select: ['ID', 'ORIGIN_ID'],
        start: -1,
      }),
    });
    const { result } = Rows.parse(await answer.json());
    found.push(...result.map(lead => lead.ORIGIN_ID));
    last = result.at(-1)?.ID ?? last;
    if (result.length < 50) return found;
  }
}

/** Lead id and phone of each phone that a lead has more than once. */
async function duplicatePhones(): Promise<string[]> {
  const Rows = z.array(z.looseObject({ ID: z.int(), PHONE: z.array(z.looseObject({ VALUE: z.string() })) }));
  const { latest } = await sandbox.control.rows('crm', 'leads', 5_000);
  return Rows.parse(latest).flatMap(({ ID, PHONE }) => {
    const phones = PHONE.map(({ VALUE }) => VALUE);
    return phones.filter((phone, index) => phones.indexOf(phone) < index).map(phone => `${ID} ${phone}`);
  });
}

describe('authentication', () => {
  it('returns the account with its organisations', async () =>
    expect(await client.request('GET', '/apps/events/v1/auth')).toMatchObject({
      status: 200,
      body: { id: '770001', email: 'events@meridianpalm.example', organizations: [{ name: 'Meridian Palm' }] },
    }));

  it('returns 502 when the token is rejected', async () => {
    await sandbox.control.fault('events', { fault: 'unauthorized', times: 5 });
    const reply = await client.request('GET', '/apps/events/v1/auth');
    expect(reply).toMatchObject({
      status: 502,
      body: {
        detail: 'The events platform rejects our credentials: The OAuth token you provided was invalid (INVALID_AUTH).',
      },
    });
    await sandbox.control.reset('events');
    await useOrders();
  });
});

describe('the lists of the platform', () => {
  /** Also the list of its calls. */
  const resetPlatform = async () => {
    await sandbox.control.reset('events');
    await useOrders();
  };
  beforeEach(resetPlatform);
  afterEach(resetPlatform);
  const readEverything = { dryRun: true, since: '2026-01-01T00:00:00Z' };
  const orderCalls = async () => {
    const { requests } = await sandbox.control.requests('events');
    return requests.filter(({ path }) => path.endsWith('/orders/')).length;
  };

  it('contain organisations of all pages', async () => {
    await sandbox.control.settings('events', { organizations: 5, pageSize: 2 });
    const { body } = await client.request('GET', '/apps/events/v1/auth');
    expect(body).toMatchObject({ organizations: { length: 5 } });
  });

  it('are restarted in the same attempt after an invalid continuation token', async () => {
    await sandbox.control.settings('events', { invalidTokens: 2 });
    const { id } = await client.requestJob('POST', process, { body: readEverything });
    const job = await client.waitForJob(id);
    expect(job).toMatchObject({ state: 'succeeded', attempts: { made: 1 }, result: { read: 240 } });
    // Two restarts after the first page, and the five pages.
    expect(await orderCalls()).toBe(2 * 2 + 5);
  });

  it('fail the attempt if every continuation token is invalid', async () => {
    await sandbox.control.settings('events', { invalidTokens: 1_000 });
    const orders = eventsSystem.client(service.systems).orders({});
    await expect(orders).rejects.toMatchObject({ failure: { code: 'BAD_CONTINUATION_TOKEN' }, transient: true });
  });

  it('are read again when an order is missing', async () => {
    await sandbox.control.settings('events', { omittedRows: 1 });
    const { id } = await client.requestJob('POST', process, { body: readEverything });
    const job = await client.waitForJob(id);
    expect(job).toMatchObject({ state: 'succeeded', result: { read: 240 }, warnings: [] });
    expect(await orderCalls()).toBe(10);
  });

  it('lead to a warning when orders are missing also in the second read', async () => {
    await sandbox.control.settings('events', { omittedRows: 1_000 });
    const { id } = await client.requestJob('POST', process, { body: readEverything });
    expect(await client.waitForJob(id)).toMatchObject({
      state: 'succeeded',
      result: { read: 235 },
      warnings: [{ code: 'incomplete-orders', detail: expect.stringContaining('counted 240 orders and returned 235') }],
    });
  });
});

describe('processing orders repeatedly', () => {
  it('previews the leads in a dry run, which changes nothing', () => {
    const { report, leads } = history.planned;
    expect(report).toMatchObject({ dryRun: true, read: 240, updated: 0, failed: 0 });
    expect(report.created).toBeGreaterThan(200);
    expect(leads).toBe(leadsAtFirst);
  });

  it('creates one lead per guest', () => {
    const { report, leads } = history.first;
    const { created } = history.planned.report;
    expect(report).toMatchObject({ read: 240, created, updated: 0, failed: 0 });
    expect(leads).toHaveLength(created);
    expect(new Set(leads).size).toBe(created);
  });

  it('reads only the last minutes again and changes nothing', () => {
    const { again, all } = history;
    expect(again).toMatchObject({ created: 0, updated: 0, failed: 0 });
    expect(again.read).toBeLessThan(5);
    expect(all).toMatchObject({ read: 240, matched: history.first.leads.length, created: 0 });
  });

  it('updates the lead of a corrected order, also if the response of the CRM is lost', () => {
    const { report, leads, duplicates } = history.corrected;
    expect(report).toMatchObject({ created: 0, failed: 0 });
    expect(report.updated).toBeGreaterThan(10);
    expect(leads).toHaveLength(history.first.leads.length);
    expect(duplicates).toEqual([]);
  });

  it('adds one note to the lead for a refund or cancellation', () => {
    const { report, noted, notedAgain, leads } = history.refunded;
    expect(noted).toBeGreaterThan(5);
    expect(noted).toBeLessThanOrEqual(report.updated);
    expect(notedAgain).toBe(0);
    expect(leads).toHaveLength(history.first.leads.length);
  });

  it('reads the orders of one event when eventId is given', async () =>
    expect((await run({ eventId: '9001', since: '2026-01-01T00:00:00Z' })).read).toBe(80));
});

describe('a run with a failure', () => {
  afterEach(async () => {
    await sandbox.control.reset('events');
    await useOrders();
  });

  it.each([
    ['the event does not exist', { eventId: '1' }, 404],
    ['the token is rejected', {}, 502],
  ])('fails with the reason when %s', async (_, body, status) => {
    if (status === 502) await sandbox.control.fault('events', { fault: 'unauthorized', times: 50 });
    const { id } = await client.requestJob('POST', process, { body });
    expect(await client.waitForJob(id)).toMatchObject({ state: 'failed', error: { status } });
  });

  it('reads the attendees of the event when they cannot be expanded', async () => {
    await sandbox.control.settings('events', { refuseExpansion: true, chapter: 2 });
    expect(await run({ eventId: '9003', since: '2026-01-01T00:00:00Z' })).toMatchObject({
      read: 80,
      created: 0,
      failed: 0,
    });
    const { byPath } = await sandbox.control.requests('events');
    expect(byPath['GET /v3/events/9003/attendees/']).toBeGreaterThan(1);
    expect(Object.keys(byPath).filter(path => path.startsWith('GET /v3/orders/'))).toEqual([]);
  });

  it('returns 422 with a pointer to each input error', async () => {
    const reply = await client.request('POST', process, { body: { since: 'yesterday', eventId: 'x', dryRun: 'no' } });
    expect(reply.status).toBe(422);
    expect(reply.body).toMatchObject({
      errors: [{ pointer: '/since' }, { pointer: '/eventId' }, { pointer: '/dryRun' }],
    });
  });
});

describe('late orders and killed workers', () => {
  it('leave exactly one lead per guest', async () => {
    const ownSandbox = await startFastSandbox();
    const { control, url } = ownSandbox;
    await control.settings('events', { orders: 450, hidden: 150, pageSize: 50 });
    await control.data('events', 'orders', 'reset');
    const other = await startService('event orders killed', ownSandbox);
    const processes: ServiceProcess[] = [];
    try {
      const by = await other.client(['events']);
      const { id } = await by.requestJob('POST', process, { body: {} });
      for (const kills of [1, 2, 3]) {
        const worker = startWorkerProcess(other, url, ['event-orders'], pace);
        processes.push(worker);
        // Cheaper than `eventLeads`: this process also runs the sandbox that the worker calls.
        const created = async () => (await control.rows('crm', 'leads', 1)).count - leadsAtFirst;
        await expect.poll(created).toBeGreaterThan(kills * 50);
        worker.kill('SIGKILL');
        await worker.ended;
      }
      processes.push(startWorkerProcess(other, url, ['event-orders'], pace));
      expect(JobResource.parse(await by.waitForJob(id))).toMatchObject({ state: 'succeeded' });

      await control.settings('events', { hidden: 0 });
      const { failed } = await run({ since: '2026-01-01T00:00:00Z' }, by);
      expect(failed).toBe(0);
      const leads = await eventLeads(ownSandbox);
      const guests = await guestsOfSandbox(url);
      expect(leads.sort()).toEqual([...new Set(leads)].sort());
      expect(leads).toHaveLength(guests);
    } finally {
      await stopProcesses(processes);
      await other.close();
      await ownSandbox.close();
    }
  });
});

/** Guests of an event by e-mail, counted independently through the vendor's client. */
async function guestsOfSandbox(sandboxUrl: string): Promise<number> {
  const Page = z.object({
    pagination: z.object({ has_more_items: z.boolean(), continuation: z.string() }),
    orders: z.array(
      z.object({
        status: z.string(),
        event_id: z.string(),
        attendees: z.array(z.object({ profile: z.object({ email: z.string() }) })),
      }),
    ),
  });
  // CommonJS: Node.js and vitest return its default export differently.
  const { default: eventbrite }: typeof import('eventbrite') = createRequire(import.meta.url)('eventbrite');
  const sdk = eventbrite({ token: 'sandbox', baseUrl: `${sandboxUrl}/events/v3` });
  const guests = new Set<string>();
  let continuation = '';
  do {
    const page = Page.parse(
      await sdk.request(
        `/organizations/5550001/orders/?status=both&expand=attendees${continuation && `&continuation=${continuation}`}`,
      ),
    );
    for (const { status, event_id: event, attendees } of page.orders)
      if (status === 'placed')
        for (const { profile } of attendees) guests.add(`${event} ${profile.email.trim().toLowerCase()}`);
    continuation = page.pagination.has_more_items ? page.pagination.continuation : '';
  } while (continuation !== '');
  return guests.size;
}
