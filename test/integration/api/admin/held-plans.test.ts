/** Every kind of held plan: the overview, the confirmation, the job page, the notification and the API say the same. */
import { sql } from 'drizzle-orm';
import { beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { PlaceOfChanges } from '../../../../core/jobs/planned-effect.ts';
import { notificationTable } from '../../../../core/notifications/schema.ts';
import { SyncReport } from '../../../../core/sync/report.ts';
import acquisition from '../../../../workers/crm-acquisition/contract.ts';
import acquisitionHandler from '../../../../workers/crm-acquisition/handler.ts';
import resync from '../../../../workers/employee-resync/contract.ts';
import resyncHandler from '../../../../workers/employee-resync/handler.ts';
import locationSync from '../../../../workers/location-sync/contract.ts';
import locationSyncHandler from '../../../../workers/location-sync/handler.ts';
import { readPlan } from '../../../support/held-plan.ts';
import { useSandbox } from '../../../support/sandbox.ts';
import { useClient, useService } from '../../../support/test-service.ts';

const login = { authorization: `Basic ${Buffer.from('duty:secret').toString('base64')}` };
const employees = '/apps/employees/v1/employees';
const limits = { EMPLOYEE_SNAPSHOT_DAYS: 90, EMPLOYEE_STATUS_CHANGE_LIMIT: 5 };
const city = 'Fujairah';

const sandbox = useSandbox();
const service = useService('held-plans', () => ({
  sandboxUrl: sandbox.url,
  contracts: new Map([acquisition, locationSync, resync].map(contract => [contract.kind, contract])),
  env: {
    OPS_USER: 'duty',
    OPS_PASSWORD: 'secret',
    CRM_REQUESTS_PER_SECOND: '100',
    CRM_REQUEST_BURST: '10000',
    NOTIFY_WEBHOOK_URL: 'http://127.0.0.1:9/hook',
  },
}));
const client = useClient(service, ['crm:sync', 'portal:read', 'employees:read', 'employees:write', 'employees:sync']);

beforeAll(async () => {
  await resetSystems();
  service.startWorker([
    { contract: acquisition, handler: await acquisitionHandler.open({}, service) },
    { contract: locationSync, handler: await locationSyncHandler.open({}, service) },
    { contract: resync, handler: await resyncHandler.open(limits, service) },
  ]);
});

async function resetSystems(): Promise<void> {
  for (const system of ['crm', 'listing-portal', 'directory', 'employee-records']) await sandbox.control.reset(system);
  await sandbox.control.settings('crm', { callLimit: false, operatingLimitSeconds: 0 });
  await sandbox.control.settings('listing-portal', { callsPerMinute: 100_000 });
  await sandbox.control.settings('employee-records', { employees: 100 });
  await sandbox.control.settings('directory', { users: 130 });
}

const run = (method: string, path: string, body?: object) =>
  client.requestJob(method, path, { headers: { prefer: 'wait=60' }, ...(body && { body }) });
const deals = () => run('GET', '/apps/crm/v1/deals/acquire?full=true');
const crmLocations = () => run('POST', '/apps/crm/v1/locations/acquire', { full: true });
const portalLocations = () => run('POST', '/apps/listing-portal/v1/locations/update', { scope: { city } });
const locations = (body: object = { scope: { city } }) => run('POST', '/apps/crm/v1/locations/sync', body);
const resyncEmployees = () => run('POST', `${employees}/sync`);
const deleteEmployees = () => run('DELETE', employees, { confirm: 'delete-all-employees' });

/** Waits until the job is held or ended. */
const stopped = ({ id }: { id: string }) =>
  client.waitForJob(id, ({ state }) => state === 'held' || state === 'succeeded');

/** Runs the job, and releases it if it is held. */
async function applied(start: () => Promise<{ id: string; state: string }>): Promise<void> {
  const ended = await client.releasedJob((await start()).id);
  expect(ended, JSON.stringify(ended.error)).toMatchObject({ state: 'succeeded' });
}

const restoreEmployees = () => run('POST', `${employees}/restore`);

const halve = (system: string, collection: string) => () => sandbox.control.data(system, collection, 'halve');
const empty = (system: string, collection: string) => () => sandbox.control.data(system, collection, 'empty');

interface Held {
  plan: string;
  /** Makes the state before. */
  before?: () => Promise<void>;
  fault: () => Promise<void>;
  start: () => Promise<{ id: string; state: string }>;
  sentence: RegExp;
  /** Rows disappear with a release. */
  isDeleting: boolean;
}

const some = String.raw`[1-9][\d,]*`;
const sentence = (text: string): RegExp => new RegExp(`^${text.replaceAll('#', some)}$`);

const plans: Held[] = [
  {
    plan: 'half of the CRM’s deals',
    before: () => applied(deals),
    fault: halve('crm', 'deals'),
    start: deals,
    sentence: sentence('delete # of # in the local copy of the CRM’s deals'),
    isDeleting: true,
  },
  {
    plan: 'no CRM locations',
    before: () => applied(crmLocations),
    fault: empty('crm', 'locations'),
    start: crmLocations,
    sentence: sentence('delete # of # in the local copy of the CRM’s locations'),
    isDeleting: true,
  },
  {
    plan: 'half of the listing portal’s locations',
    before: () => applied(portalLocations),
    fault: halve('listing-portal', 'locations'),
    start: portalLocations,
    sentence: sentence('mark as gone # of # in the local copy of the listing portal’s locations'),
    isDeleting: true,
  },
  {
    plan: 'a location sync with half of the listing portal’s locations',
    before: () => applied(() => locations()),
    fault: halve('listing-portal', 'locations'),
    start: () => locations(),
    sentence: sentence(
      'mark as gone # of # in the local copy of the listing portal’s locations; the CRM is not changed',
    ),
    isDeleting: true,
  },
  {
    plan: 'a location sync with half of the CRM’s locations',
    before: () => applied(() => locations()),
    fault: halve('crm', 'locations'),
    start: () => locations(),
    sentence: sentence('delete # of # in the local copy of the CRM’s locations, and continue'),
    isDeleting: true,
  },
  {
    plan: 'a location sync of more locations than the CRM may gain at once',
    before: async () => {
      await sandbox.control.data('crm', 'locations', 'halve');
      await applied(crmLocations);
    },
    fault: async () => undefined,
    start: () => locations({}),
    sentence:
      /^create [\d,]+ in the local copy of the listing portal’s locations; create [\d,]+(, update [\d,]+)? in the CRM$/,
    isDeleting: false,
  },
  {
    plan: 'the first resync of employees',
    before: async () => {
      await service.database.execute(sql`delete from employee`);
      await service.database.execute(sql`delete from sync_state where kind like 'employees%'`);
    },
    fault: async () => undefined,
    start: resyncEmployees,
    sentence: sentence('create # in the local list; update # in the employee records'),
    isDeleting: false,
  },
  {
    plan: 'a resync with half of the identity directory',
    before: () => applied(resyncEmployees),
    fault: halve('directory', 'users'),
    start: resyncEmployees,
    sentence: sentence(
      'delete # of #(, update #)? in the local list; (update # in the employee records|the employee records are not changed)',
    ),
    isDeleting: true,
  },
  {
    plan: 'the deletion of all employee records with half of the identity directory',
    before: () => applied(resyncEmployees),
    fault: halve('directory', 'users'),
    start: deleteEmployees,
    sentence: sentence('delete # of # in the employee records'),
    isDeleting: true,
  },
  {
    plan: 'the restore of employee records with half of the identity directory',
    before: async () => {
      await applied(resyncEmployees);
      await applied(deleteEmployees);
    },
    fault: halve('directory', 'users'),
    start: restoreEmployees,
    sentence: sentence('create # in the employee records'),
    isDeleting: false,
  },
];

const Result = SyncReport.partial();
const textOf = (html: string): string =>
  html
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('&#x27;', "'")
    .replace(/\s+/g, ' ');
const htmlOf = async (path: string): Promise<string> => {
  const answer = await fetch(`${service.origin}/v2/ops${path}`, { headers: login });
  expect(answer.status, path).toBe(200);
  return await answer.text();
};

it.each(plans)('$plan: every place says what a release would do', async ({ before, fault, start, ...expected }) => {
  await resetSystems();
  await before?.();
  await fault();
  const { id, state } = await stopped(await start());
  expect(state).toBe('held');

  const { heldBecause = [], wouldDo = '', places = [] } = Result.parse((await client.job(id)).result);
  expect(wouldDo).toMatch(expected.sentence);
  expect(heldBecause.length).toBeGreaterThan(0);

  const { changes = [] } = (await readPlan(service.records, id)) ?? {};
  const planned = changes.filter(({ outcome }) => outcome === 'deleted').flatMap(({ items }) => items);
  expect(
    z
      .array(PlaceOfChanges)
      .parse(places)
      .reduce((sum, { deleted }) => sum + deleted, 0),
  ).toBe(planned.length);
  expect(planned.length > 0).toBe(expected.isDeleting);

  const [overview, job, confirmation] = [
    await htmlOf(''),
    await htmlOf(`/jobs/${id}`),
    await htmlOf(`/jobs/${id}/release`),
  ];
  for (const page of [overview, job]) expect(textOf(page)).toContain(`It would ${wouldDo}.`);
  expect(textOf(confirmation)).toContain(`Release it: ${wouldDo}`);
  for (const reason of heldBecause)
    for (const page of [overview, job, confirmation]) expect(textOf(page)).toContain(reason);
  const bars = places.filter(
    ({ rows, created, updated, deleted }) => rows !== undefined && created + updated + deleted > 0,
  );
  for (const { rows = 0, created, deleted } of bars) {
    const text = `${rows.toLocaleString('en')} rows before, ${(rows - deleted + created).toLocaleString('en')} after`;
    for (const page of [overview, job, confirmation]) expect(textOf(page)).toContain(text);
  }
  expect(bars.length).toBeGreaterThan(0);

  // The release looks like what it does, and dropping the plan comes first.
  expect(confirmation).toContain(expected.isDeleting ? '<button class="grave">' : '<button>');
  const release = expected.isDeleting ? 'button grave' : 'button plain';
  for (const page of [overview, job])
    expect(page).toMatch(
      new RegExp(`class="button plain" href="[^"]*${id}/drop".*class="${release}" href="[^"]*${id}/release"`, 's'),
    );

  const notified = (await service.database.select().from(notificationTable)).find(
    ({ topic }) => topic === `held ${id}`,
  );
  expect(notified?.content.detail).toBe([...heldBecause, `A release would ${wouldDo}.`].join(' '));
  expect(notified?.content.places).toEqual(places);

  await client.request('DELETE', `/jobs/${id}`);
});
