/** With rows in odd forms in all outside systems, jobs and operations finish their good rows and report each bad one once. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { SyncReport } from '../../../core/sync/report.ts';
import activity from '../../../workers/activity/contract.ts';
import activityHandler from '../../../workers/activity/handler.ts';
import acquisition from '../../../workers/crm-acquisition/contract.ts';
import acquisitionHandler from '../../../workers/crm-acquisition/handler.ts';
import resync from '../../../workers/employee-resync/contract.ts';
import resyncHandler from '../../../workers/employee-resync/handler.ts';
import orders from '../../../workers/event-orders/contract.ts';
import ordersHandler from '../../../workers/event-orders/handler.ts';
import leads from '../../../workers/leads/contract.ts';
import leadsHandler from '../../../workers/leads/handler.ts';
import sync from '../../../workers/location-sync/contract.ts';
import syncHandler from '../../../workers/location-sync/handler.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { type Sandbox, startSandbox } from '../../support/sandbox.ts';
import { startTestService, type TestService } from '../../support/test-service.ts';

const systems = [
  ...['crm', 'directory', 'employee-records', 'events', 'activity-log', 'listing-portal', 'property-projects'],
];
const StoredLead = z.looseObject({
  ID: z.int(),
  STATUS_ID: z.string(),
  EMAIL: z.array(z.object({ VALUE: z.string() })),
});

let sandbox: Sandbox;
let service: TestService;
let client: ApiClient;

beforeAll(async () => {
  sandbox = await startSandbox();
  for (const system of systems) await sandbox.control.settings(system, { messyData: true });
  await sandbox.control.settings('crm', { callLimit: false, operatingLimitSeconds: 0 });
  await sandbox.control.settings('listing-portal', { callLimit: false });
  const kinds = [activity, acquisition, resync, orders, leads, sync];
  service = await startTestService('messy data', {
    sandboxUrl: sandbox.url,
    contracts: new Map(kinds.map(contract => [contract.kind, contract])),
    env: {
      ...{ CRM_REQUESTS_PER_SECOND: '100', CRM_REQUEST_BURST: '10000', LISTING_PORTAL_CALLS_PER_MINUTE: '100000' },
    },
  });
  service.startWorker([
    { contract: activity, handler: await activityHandler.open({}, service) },
    { contract: acquisition, handler: await acquisitionHandler.open({}, service) },
    {
      contract: resync,
      handler: await resyncHandler.open({ EMPLOYEE_SNAPSHOT_DAYS: 90, EMPLOYEE_STATUS_CHANGE_LIMIT: 5 }, service),
    },
    { contract: orders, handler: await ordersHandler.open({}, service) },
    { contract: leads, handler: await leadsHandler.open({}, service) },
    { contract: sync, handler: await syncHandler.open({}, service) },
  ]);
  client = await service.client(['crm:sync', 'crm:read', 'crm:write', 'events', 'leads', 'portal:read']);
});
afterAll(async () => {
  await service?.close();
  await sandbox?.close();
});

const running = ['queued', 'running', 'scheduled'];

/** @returns the finished job's report, and its rows and warnings about records that could not be read, by their names */
async function run(method: 'GET' | 'POST', path: string, body?: object, as = client) {
  const { id } = await as.requestJob(method, path, body && { body });
  const job = await as.waitForJob(id, ({ state }) => !running.includes(state));
  expect(job.error).toBeNull();
  const report = SyncReport.parse(job.result);
  const warned = z
    .array(z.looseObject({ code: z.string().optional(), detail: z.string() }))
    .parse(job.warnings)
    .filter(({ code }) => code === 'unreadable-row')
    .map(({ detail }) => detail.replace('Left out, because it could not be read: ', ''));
  expect(new Set(warned).size).toBe(warned.length);
  return { state: job.state, report, warned, result: job.result };
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

it('employees are merged; odd employees, directory users and CRM users are reported', async () => {
  const admin = await service.client(['employees:sync']);
  const { state, report, warned } = await run('POST', '/apps/employees/v1/employees/sync', { dryRun: true }, admin);
  expect(state).toBe('succeeded');
  expect(linesOf(report, 'employee-records employee HR-EMP-00027')).toEqual([
    'employee-records employee HR-EMP-00027: status: must be one of Active, Inactive, Suspended, Left',
  ]);
  expect(linesOf(report, 'directory user').length).toBeGreaterThan(1);
  expect(linesOf(report, 'directory user').every(line => line.includes(': state: expected one of '))).toBe(true);
  expect(linesOf(report, 'crm user').every(line => line.endsWith(': active: expected boolean, received string'))).toBe(
    true,
  );
  expect(report.failed).toBe(warned.length);
  expect(report.read).toBeGreaterThan(400);
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

describe('operations', () => {
  it('list the good users of the directory and of the property-project system', async () => {
    const reader = await service.client(['directory:read', 'projects:read']);
    for (const path of [
      '/apps/directory/v1/users?limit=100',
      '/apps/property-projects/v1/users',
      '/apps/directory/v1/groups',
    ])
      expect(await reader.request('GET', path)).toMatchObject({ status: 200 });
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
});
