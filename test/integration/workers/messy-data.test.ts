/** With rows in odd forms in all outside systems, jobs and operations finish their good rows and report each bad one once. */
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { discoverContracts, discoverHandlers } from '../../../core/jobs/discover.ts';
import { readConfig } from '../../../core/runtime/config.ts';
import { SyncReport } from '../../../core/sync/report.ts';
import { people } from '../../../sandbox/kit/people.ts';
import { queryChatBot } from '../../support/chat-bot-database.ts';
import { useMessyData } from '../../support/messy-data.ts';
import { useClient } from '../../support/test-service.ts';

const StoredLead = z.looseObject({
  ID: z.int(),
  STATUS_ID: z.string(),
  EMAIL: z.array(z.object({ VALUE: z.string() })),
});

/** The kinds whose jobs read rows of outside systems. */
const kinds = [
  'activity',
  'crm-acquisition',
  'employee-resync',
  'event-orders',
  'leads',
  'location-sync',
  'portal-leads',
  'terminations',
];
/** The other kinds; `pdf` reads single permits, and photos by the addresses that its caller gives. */
const withoutRows = ['maintenance', 'pdf', 'pdf-mail', 'pdf-preview'];
const contracts = await discoverContracts();

const { sandbox, service } = useMessyData('messy data', {
  contracts: new Map([...contracts].filter(([kind]) => kinds.includes(kind))),
  env: { LISTING_PORTAL_CALLS_PER_MINUTE: '100000' },
});
const client = useClient(service, ['crm:sync', 'crm:read', 'crm:write', 'events', 'leads', 'portal:read']);

beforeAll(async () => {
  const handlers = await discoverHandlers(kinds);
  const served = handlers.map(async handler => ({
    contract: handler.job,
    handler: await handler.open(readConfig(handler.config, {}), service),
  }));
  service.startWorker(await Promise.all(served));
});

it('every job kind that reads rows of outside systems has a case', () =>
  expect([...kinds, ...withoutRows].sort()).toEqual([...contracts.keys()].sort()));

const running = ['queued', 'running', 'scheduled'];
const atRest = ({ state }: { state: string }) => !running.includes(state);

/** Releases a held job, whose plan names the rows that could not be read. @returns the finished job's report, and its rows and warnings about records that could not be read, by their names */
async function run(method: 'GET' | 'POST', path: string, body?: object, as = client) {
  const { id } = await as.requestJob(method, path, body && { body });
  let job = await as.waitForJob(id, atRest);
  const planned = SyncReport.parse(job.result);
  if (job.state === 'held') {
    expect(await as.request('POST', `/jobs/${id}/release`)).toMatchObject({ status: 202 });
    job = await as.waitForJob(id, atRest);
  }
  expect(job.error).toBeNull();
  const report = SyncReport.parse(job.result);
  const warned = z
    .array(z.looseObject({ code: z.string().optional(), detail: z.string() }))
    .parse(job.warnings)
    .filter(({ code }) => code === 'unreadable-row')
    .map(({ detail }) => detail.replace('Left out, because it could not be read: ', ''));
  expect(new Set(warned).size).toBe(warned.length);
  return { state: job.state, planned, report, warned, result: job.result };
}

const linesOf = ({ rows }: SyncReport, record: string) =>
  rows.filter(({ key }) => key.startsWith(record)).map(({ key, reason }) => `${key}: ${reason}`);

it('event orders become leads; odd orders and attendees are reported', async () => {
  const { state, report, warned } = await run('POST', '/apps/events/v1/orders/process', {});
  expect(state).toBe('succeeded');
  const bad = linesOf(report, 'events');
  expect(bad).toEqual(expect.arrayContaining(['events order 440000006: changed: Invalid ISO datetime']));
  expect(bad.some(line => /^events attendee \d+: order_id: expected string, received null$/.test(line))).toBe(true);
  expect(report.failed).toBe(bad.length);
  expect([...warned].sort()).toEqual([...bad].sort());
  expect(report.created).toBeGreaterThan(40);
  expect((await run('POST', '/apps/events/v1/orders/process', {})).report).toMatchObject({ created: 0, updated: 0 });
});

it('activity is noted; odd log entries are reported', async () => {
  const admin = await service.client(['portal:write']);
  const { report, warned } = await run(
    'GET',
    '/apps/portal/v1/user-activity/sync?from=2026-05-20&to=2026-05-22',
    undefined,
    admin,
  );
  const bad = linesOf(report, 'activity-log');
  expect(bad.length).toBeGreaterThan(3);
  expect(bad.every(line => /^activity-log entry act\d+: _source\.(id|email): /.test(line))).toBe(true);
  expect(bad.some(line => line.includes('.id: '))).toBe(true);
  expect(bad.some(line => line.includes('.email: '))).toBe(true);
  expect(report.created).toBeGreaterThan(3);
  // A lead without access is reported as well, and its person counts as one without a lead.
  expect(warned).toEqual(expect.arrayContaining(bad));
});

it.each([true, false])('employees are merged (dry: %s); odd rows of each source are reported', async dryRun => {
  const admin = await service.client(['employees:sync']);
  const { state, planned, report } = await run('POST', '/apps/employees/v1/employees/sync', { dryRun }, admin);
  expect(state).toBe('succeeded');
  expect(linesOf(planned, 'employee-records employee HR-EMP-00027')).toEqual([
    'employee-records employee HR-EMP-00027: status: must be one of Active, Inactive, Suspended, Left',
  ]);
  expect(linesOf(planned, 'directory user').length).toBeGreaterThan(1);
  expect(linesOf(planned, 'directory user').every(line => line.includes(': state: expected one of '))).toBe(true);
  expect(linesOf(planned, 'crm user').every(line => line.endsWith(': active: expected boolean, received string'))).toBe(
    true,
  );
  const bad = ['employee-records employee', 'directory user', 'crm user'].flatMap(name => linesOf(planned, name));
  expect(new Set(bad).size).toBe(bad.length);
  expect(planned.failed).toBe(bad.length);
  expect(planned.read).toBeGreaterThan(400);
  if (dryRun) return;
  expect(report.created).toBeGreaterThan(100);
  const again = await run('POST', '/apps/employees/v1/employees/sync', { dryRun: false }, admin);
  expect(again.report).toMatchObject({ created: 0, updated: 0, deleted: 0 });
  expect(again.result).toMatchObject({ targets: { employeeRecords: { updated: 0 } } });
});

it('leads are enriched; one without access is reported by its id and reason', async () => {
  const { latest } = await sandbox.control.rows('crm', 'leads', 1_000);
  const ids = z
    .array(StoredLead)
    .parse(latest)
    .map(({ ID }) => ID)
    .filter(id => id % 10 <= 5)
    .slice(0, 40);
  const { report, warned, result } = await run('POST', '/apps/portal/v1/leads/enrich', {
    leads: ids.map(id => ({ id })),
  });
  const denied = ids.filter(id => id % 10 === 3);
  expect(denied.length).toBeGreaterThan(1);
  expect(
    report.rows
      .filter(({ outcome }) => outcome === 'failed')
      .map(({ key }) => key)
      .filter(key => /^\d+$/.test(key)),
  ).toEqual(denied.map(String));
  expect(warned).toEqual(expect.arrayContaining(denied.map(id => `crm lead ${id}: Access denied.`)));
  expect(report.updated + report.matched).toBe(ids.length - denied.length);
  expect(JSON.stringify(result)).toContain('The lead could not be read: Access denied.');
});

it('deals are acquired', async () => {
  const { state, report } = await run('GET', '/apps/crm/v1/deals/acquire');
  expect(state).toBe('succeeded');
  expect(report.created).toBeGreaterThan(1_000);
});

describe('the portal’s locations', () => {
  it('are copied; odd ones are reported, and do not count as gone', async () => {
    const portal = await service.client(['portal:sync', 'portal:read', 'crm:sync']);
    await sandbox.control.settings('listing-portal', { messyData: false });
    const clean = await run('POST', '/apps/listing-portal/v1/locations/update', {}, portal);
    await sandbox.control.settings('listing-portal', { messyData: true });
    const { state, report, result, warned } = await run('POST', '/apps/listing-portal/v1/locations/update', {}, portal);
    expect([clean.state, state]).toEqual(['succeeded', 'succeeded']);
    const bad = linesOf(report, 'listing-portal location');
    expect(bad.some(line => line.includes(': name: '))).toBe(true);
    expect(bad.some(line => line.includes(': tree: '))).toBe(true);
    expect([...warned].sort()).toEqual([...bad].sort());
    expect(result).toMatchObject({ copy: { created: 0, updated: 0, gone: 0 } });
  });
});

it('locations are synchronised with the CRM; none that the CRM has is added again', async () => {
  const StoredRow = z.object({ UF_CRM_8_PORTAL_ID: z.string() });
  const portalIds = async () => {
    const { latest } = await sandbox.control.rows('crm', 'locations', 100_000);
    return z
      .array(StoredRow)
      .parse(latest)
      .flatMap(({ UF_CRM_8_PORTAL_ID: id }) => id || []);
  };
  const before = await portalIds();
  const { state, planned, report } = await run('POST', '/apps/crm/v1/locations/sync', { dryRun: false });
  expect(state).toBe('succeeded');
  const unreadable = linesOf(planned, 'crm location');
  expect(unreadable.length).toBeGreaterThan(10);
  expect(new Set(unreadable).size).toBe(unreadable.length);
  expect(report.created).toBeGreaterThan(0);
  const after = await portalIds();
  const twice = (ids: readonly string[]) => ids.length - new Set(ids).size;
  expect(twice(after)).toBe(twice(before));
  expect(after.length).toBe(before.length + report.created + report.updated);
});

it('enquiries of the listing portal become leads; odd ones are reported', async () => {
  await fetch(`${sandbox.url}/listing-portal/simulate`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ enquiries: 0, silent: 10 }),
  });
  const { state, report, warned } = await run('POST', '/apps/listing-portal/v1/enquiries/read', {});
  expect(state).toBe('succeeded');
  const odd = warned.filter(line => line.startsWith('listing-portal enquiry '));
  expect(odd).toEqual(Array.from({ length: 2 }, () => expect.stringMatching(/\d+[27]: createdAt: /)));
  expect(report).toMatchObject({ read: 8, created: 8 });
  expect((await run('POST', '/apps/listing-portal/v1/enquiries/read', {})).report).toMatchObject({ created: 0 });
});

describe('terminations', () => {
  const terminate = async (system: string, crmId: number) => {
    const admin = await service.client(['users:terminate']);
    const body = { crmId, reason: 'left' };
    const { id } = await admin.requestJob('POST', `/apps/crm/v1/users/terminate${system}`, { body });
    return await admin.waitForJob(id, atRest);
  };
  /** Users of the chat bot whom the CRM can read, with this condition. */
  const botUsers = async (condition: string) =>
    z
      .array(z.object({ id: z.string(), crm_id: z.int() }))
      .parse(await queryChatBot(service.databaseUrl, `select id::text, crm_id from users where ${condition}`))
      .filter(({ crm_id: crmId }) => crmId % 20 !== 7);

  it('close all accounts of a person although other rows are odd, once', async () => {
    const inProjects = new Set(people().flatMap(({ number, crmId }) => (number % 15 < 4 ? [crmId] : [])));
    const [user] = (await botUsers('active and crm_id > 20 and crm_id % 3 = 0')).filter(({ crm_id: crmId }) =>
      inProjects.has(crmId),
    );
    const first = await terminate('', user?.crm_id ?? 0);
    expect(first).toMatchObject({ state: 'succeeded', error: null, result: { outcome: 'terminated' } });
    expect(await terminate('', user?.crm_id ?? 0)).toMatchObject({ result: { outcome: 'already-terminated' } });
  });

  it('name an account that cannot be read, and close the others', async () => {
    const [user] = await botUsers('active is null and crm_id is not null');
    const job = await terminate('', user?.crm_id ?? 0);
    expect(job.state).toBe('failed');
    expect(job.error?.detail).toContain(`Not closed: chat-bot: `);
    expect(job.error?.detail).toContain(`chat-bot user ${user?.id}: active: `);
  });
});

it('an enquiry of a person whose lead cannot be read becomes a new lead with a note', async () => {
  const { latest } = await sandbox.control.rows('crm', 'leads', 1_000);
  const denied = z
    .array(StoredLead)
    .parse(latest)
    .find(({ ID, EMAIL }) => ID % 10 === 3 && EMAIL.length > 0);
  const enquiry = {
    name: 'Sara Haddad',
    email: denied?.EMAIL[0]?.VALUE,
    message: 'Please call me.',
    page: 'https://example.com/marina',
    consent: true,
  };
  const answer = await client.request('POST', '/apps/crm/v1/leads/landing-page', { body: enquiry });
  const { id } = z.object({ id: z.int() }).parse(answer.body);
  const { latest: after } = await sandbox.control.rows('crm', 'leads', 10);
  const created = z
    .array(z.looseObject({ ID: z.int(), COMMENTS: z.string().nullable() }))
    .parse(after)
    .find(({ ID }) => ID === id);
  expect(created?.COMMENTS).toContain(
    `Lead ${denied?.ID} has the same phone or e-mail and could not be read: Access denied`,
  );
  expect(created?.COMMENTS).toContain('Please call me.');
});
