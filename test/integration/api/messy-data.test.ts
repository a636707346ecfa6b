/**
 * With rows in odd forms in all outside systems, every operation that calls them answers with the good rows, and reports
 * each bad one once in the log. Those that start jobs: test/integration/workers/messy-data.test.ts.
 */
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { loadOperations } from '../../../api/http/load-operations.ts';
import { createPortalLocations } from '../../../core/domain/locations/portal-locations.ts';
import { people } from '../../../sandbox/kit/people.ts';
import type { RequestOptions } from '../../support/api-client.ts';
import { queryChatBot } from '../../support/chat-bot-database.ts';
import { logLines } from '../../support/log-lines.ts';
import { useMessyData } from '../../support/messy-data.ts';
import { useClient } from '../../support/test-service.ts';

const operations = await loadOperations();
const log = logLines('warn');

const { sandbox, service } = useMessyData('messy operations', { logger: log.logger, env: { SMS_SENDER: 'PALM' } });
const client = useClient(service, [...new Set(operations.flatMap(({ scope }) => scope ?? []))]);

const BadRow = z.object({
  msg: z.literal('a row of an outside system could not be read'),
  row: z.object({ system: z.string(), record: z.string(), id: z.string(), field: z.string(), reason: z.string() }),
});
/** Such as `crm user 17`, in the order of their reports. */
const reported = () =>
  log
    .lines()
    .flatMap(line => BadRow.safeParse(line).data?.row ?? [])
    .map(({ system, record, id }) => `${system} ${record} ${id}`);

interface Case {
  path?: string | (() => Promise<string>);
  body?: RequestOptions['body'] | (() => Promise<RequestOptions['body']>);
  status?: number;
  /** The rows that are reported; default: none. */
  reports?: RegExp;
}

const rowsOf = async (system: string, collection: string) =>
  z.array(z.looseObject({})).parse((await sandbox.control.rows(system, collection, 20_000)).latest);
const goodLead = async () =>
  z
    .array(z.looseObject({ ID: z.int() }))
    .parse(await rowsOf('crm', 'leads'))
    .find(({ ID }) => ID % 10 !== 3)?.ID;
const leadWithRows = async () =>
  z
    .array(z.looseObject({ leadId: z.int() }))
    .parse(await rowsOf('crm', 'product-rows'))
    .find(({ leadId }) => leadId % 10 !== 3)?.leadId;
const locationWithoutLevel = async () =>
  z
    .array(z.looseObject({ ID: z.int() }))
    .parse(await rowsOf('crm', 'locations'))
    .find(({ ID }) => ID % 5 === 0 && ID % 50 !== 3)?.ID;
/** A location in the copy of the listing portal's. */
async function mirroredLocation(): Promise<number> {
  const place = { id: 990_002, type: 'city', name: 'Neverland', nameAr: null };
  const location = { ...place, places: [place], coordinates: null };
  const changes = { put: [location], gone: [] };
  await createPortalLocations(service.database).change(changes, { city: undefined, read: 1, asOf: new Date() });
  return place.id;
}
const directoryUser = async () =>
  z
    .array(z.looseObject({ _id: z.string() }))
    .parse(await rowsOf('directory', 'users'))
    .find(({ _id }) => Number.parseInt(_id.slice(-4), 16) % 40 !== 3)?._id;
const projects = '/apps/property-projects/v1';
const employees = '/apps/employees/v1/employees';
const sara = {
  firstName: 'Sara',
  lastName: 'Haddad',
  gender: 'Female',
  dateOfBirth: '1991-05-17',
  dateOfJoining: '2024-03-01',
};
const newEmployee = async (employeeNumber: string) => {
  await client.request('POST', employees, { body: { ...sara, employeeNumber } });
  return `${employees}/${employeeNumber}`;
};
const amal = { firstName: 'Amal', lastName: 'Haddad', role: 'editor' };
const newProjectUser = async (email: string) => {
  const { body } = await client.request('POST', `${projects}/users`, { body: { ...amal, email } });
  return `${projects}/users/${z.object({ id: z.string() }).parse(body).id}`;
};
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
const oddName = /^property-projects \S+ \S+$/;
const oddUser = /^directory user [0-9a-f]{24}$/;

const cases: Record<string, Case> = {
  'crm.createLead': { body: { title: 'Enquiry', phones: ['+971501112233'] }, status: 201 },
  'crm.getLead': { path: async () => `/apps/crm/v1/leads/${await goodLead()}` },
  'crm.getLeadProductRows': { path: async () => `/apps/crm/v1/leads/${await leadWithRows()}/product-rows` },
  'crm.getItem': { path: async () => `/apps/crm/v1/items/1222/${await locationWithoutLevel()}` },
  'crm.createItem': { path: '/apps/crm/v1/items/1224', body: { fields: { title: 'Viewing' } }, status: 201 },
  'crm.getProduct': { path: '/apps/crm/v1/products/2' },
  'crm.decideLocationAlias': {
    body: async () => ({ portalLocationId: await mirroredLocation(), crmLocationId: await locationWithoutLevel() }),
    status: 201,
  },
  'crm.matchUser': {
    path: async () => `/apps/crm/v1/users/match?phone=${encodeURIComponent(people()[0]?.phone ?? '')}`,
    reports: /^crm user \d+$/,
  },
  'crm.takeLandingPageLead': {
    body: {
      name: 'Sara Haddad',
      email: 'sara.messy@example.com',
      message: 'Please call me.',
      consent: true,
      page: 'https://example.com/marina',
    },
    status: 201,
  },
  'crm.tryLocation': { body: { id: 990_001, type: 'CITY', name: 'Neverland' }, reports: /^crm location \d+$/ },
  'directory.listGroups': {},
  'directory.listUserGroups': { path: async () => `/apps/directory/v1/users/${await directoryUser()}/groups` },
  'directory.createStateJobs': {
    body: async () => ({ userIds: [await directoryUser()], state: 'SUSPENDED', startDate: inAnHour() }),
    status: 201,
  },
  'directory.listStateJobs': {},
  'directory.listUsers': { path: '/apps/directory/v1/users?limit=100', reports: oddUser },
  'directory.searchUsers': {
    path: '/apps/directory/v1/users/search?limit=100',
    body: { text: 'meridianpalm', fields: ['email'] },
    reports: oddUser,
  },
  'employees.createEmployee': { body: { ...sara, employeeNumber: 'MP-9101' }, status: 201 },
  'employees.updateEmployee': { path: () => newEmployee('MP-9102'), body: { designation: null } },
  'employees.deleteEmployee': { path: () => newEmployee('MP-9103'), status: 204 },
  'events.authenticate': {},
  'portal.getUserData': {
    path: async () => {
      const [user] = await queryChatBot(
        service.databaseUrl,
        `select crm_id from users where active and exists (
           select from conversations where user_id = users.id and channel is null) order by id limit 1`,
      );
      return `/apps/portal/v1/user-data?crm_id=${user?.crm_id}`;
    },
    reports: /^(chat-bot conversation no\. \d+|activity-log entry act\d+)$/,
  },
  'propertyProjects.listEmirates': { reports: oddName },
  'propertyProjects.getEmirate': { path: `${projects}/emirates/1` },
  'propertyProjects.listDistricts': { reports: oddName },
  'propertyProjects.getDistrict': { path: async () => `${projects}/districts/${await firstId('districts')}` },
  'propertyProjects.listProjects': { reports: oddName },
  'propertyProjects.getProject': { path: async () => `${projects}/projects/${await firstId('projects')}` },
  'propertyProjects.listDevelopers': { reports: oddName },
  'propertyProjects.getDeveloper': { path: async () => `${projects}/developers/${await firstId('developers')}` },
  'propertyProjects.listAmenities': { reports: oddName },
  'propertyProjects.listUnitTypes': { reports: oddName },
  'propertyProjects.listFinishes': { reports: oddName },
  'propertyProjects.listUnitLayouts': { reports: oddName },
  'propertyProjects.listUnits': { path: async () => `${projects}/units?projectId=${await firstId('projects')}` },
  'propertyProjects.uploadImage': {
    path: `${projects}/images`,
    body: async () => {
      const form = new FormData();
      const image = sharp({ create: { width: 600, height: 400, channels: 3, background: '#888' } });
      form.append('file', new Blob([new Uint8Array(await image.jpeg().toBuffer())], { type: 'image/jpeg' }), 'x.jpg');
      return form;
    },
    status: 201,
  },
  'propertyProjects.listUsers': { path: `${projects}/users?limit=100`, reports: oddName },
  'propertyProjects.createUser': { body: { ...amal, email: 'amal.one@example.com' }, status: 201 },
  'propertyProjects.replaceUser': {
    path: () => newProjectUser('amal.two@example.com'),
    body: { ...amal, email: 'amal.two@example.com', role: 'viewer' },
  },
  'propertyProjects.deleteUser': { path: () => newProjectUser('amal.three@example.com'), status: 204 },
  'telephony.checkDnc': {
    body: { numbers: ['050 123 4561', '050 123 4555', '050 123 4566'] },
    reports: /^dnc-registry answer no\. \d+$/,
  },
  'telephony.getSmsBalance': {},
  'telephony.sendSms': { body: { to: '050 123 4561', text: 'Your viewing is at 4 pm.' }, status: 201 },
  'telephony.sendSmsByGet': { path: '/apps/telephony/v1/sms/send?to=0501234562&text=Hello' },
};

/** Reads the sandbox's rows, because the service caches its own reads. */
async function firstId(list: string): Promise<string> {
  const [first] = z.array(z.looseObject({ id: z.coerce.string() })).parse(await rowsOf('property-projects', list));
  return first?.id ?? '';
}

const interactive = operations.filter(({ calls = [], startsJob }) => calls.length > 0 && startsJob === undefined);

it('every interactive operation that calls an outside system has a case', () =>
  expect(Object.keys(cases).sort()).toEqual(interactive.map(({ id }) => id).sort()));

describe('with rows in odd forms', () => {
  it.each(interactive.map(({ id, method, path }) => [id, method, path] as const))(
    '%s answers, and reports each bad row once',
    async (id, method, declared) => {
      const { path = declared, body, status = 200, reports } = cases[id] ?? {};
      const asked = typeof path === 'function' ? await path() : path;
      const sent = typeof body === 'function' ? await body() : body;
      const before = reported().length;
      const reply = await client.request(method, asked, sent === undefined ? {} : { body: sent });
      expect(reply.status, String(reply.bytes)).toBe(status);
      const rows = reported().slice(before);
      expect(new Set(rows).size).toBe(rows.length);
      expect(rows.length > 0).toBe(reports !== undefined);
      for (const row of rows) expect(row).toMatch(reports ?? /^never$/);
    },
  );

  it('a number whose answer cannot be read has the status unknown', async () => {
    const body = { numbers: ['050 123 4562', '050 123 5555', '050 123 5566'], refresh: true };
    const reply = await client.request('POST', '/apps/telephony/v1/dnc/check', { body });
    expect(reply.body).toMatchObject({ items: [{ status: 'clear' }, { status: 'unknown' }, { status: 'unknown' }] });
  });

  it('a user whose row cannot be read is named as a missing source, never as a user who does not exist', async () => {
    const [user] = await queryChatBot(
      service.databaseUrl,
      'select id, email from users where active is null and email is not null order by id limit 1',
    );
    const query = new URLSearchParams({ email: String(user?.email) });
    const reply = await client.request('GET', `/apps/portal/v1/user-data?${query}`);
    if (reply.status === 200) expect(reply.body).toMatchObject({ missing: ['chat-bot'] });
    else
      expect(reply).toMatchObject({
        status: 502,
        body: { detail: expect.stringContaining(`chat-bot user ${user?.id}: active`) },
      });
  });
});
