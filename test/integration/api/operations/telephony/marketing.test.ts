/** Marketing by SMS: with evidence of consent only, never after an opt-out, once a day, within the hours that the law permits. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { hashOf } from '../../../../../core/domain/consent/contact.ts';
import { suppressionTable } from '../../../../../core/domain/consent/schema.ts';
import { smsMessageTable } from '../../../../../core/domain/telephony/schema.ts';
import { auditTable } from '../../../../../core/postgres/schema.ts';
import { addDays, dubaiDay, dubaiDayOf } from '../../../../../core/values/dubai-time.ts';
import type { ApiClient } from '../../../../support/api-client.ts';
import { useSandbox } from '../../../../support/sandbox.ts';
import { useService } from '../../../../support/test-service.ts';

const telephony = '/apps/telephony/v1';
const number = '+971501234561';
const text = 'A new launch. Stop: {optout}';
const consent = { source: 'website form', at: '2026-01-31T08:00:00Z', reference: 'form-4711' };
const Message = z.object({ sender: z.string(), recipient: z.string(), text: z.string() });

const sandbox = useSandbox();
const service = useService('marketing', () => ({
  sandboxUrl: sandbox.url,
  env: { SMS_SENDER: 'PALM', SMS_PARTS_PER_CLIENT_DAY: '100000', REQUESTS_PER_MINUTE: '1000000' },
}));
let client: ApiClient;

/** Later than the database's time, so that no token expires. */
const tomorrow = addDays(dubaiDayOf(new Date()), 1);
const setHour = (hour: number, day = tomorrow) => vi.setSystemTime(dubaiDay(day).from.getTime() + hour * 3_600_000);

beforeEach(async () => {
  await sandbox.control.reset('telephony');
  await sandbox.control.reset('crm');
  await service.database.delete(smsMessageTable);
  await service.database.delete(suppressionTable);
  client = await service.client(['telephony', 'ops', 'crm:write']);
  vi.useFakeTimers({ toFake: ['Date'] });
  setHour(12);
});
afterEach(() => void vi.useRealTimers());

const send = (body: object = {}, by = client) =>
  by.request('POST', `${telephony}/sms/send`, { body: { to: number, text, kind: 'marketing', ...body } });
const sent = async () => z.array(Message).parse((await sandbox.control.rows('telephony', 'messages', 2_000)).latest);
const check = async (contact: string) =>
  (await client.request('GET', `${telephony}/suppressions/check?${new URLSearchParams({ contact })}`)).body;

describe('evidence of consent', () => {
  it('is required: without it nothing is sent', async () => {
    expect(await send()).toMatchObject({
      status: 422,
      body: { type: expect.stringContaining('consent-missing'), detail: expect.stringContaining('`consent`') },
    });
    expect(await sent()).toEqual([]);
  });

  it('of the request is stored with the message, the number as a keyed hash', async () => {
    expect((await send({ consent })).status).toBe(201);
    expect(await sent()).toMatchObject([{ sender: 'AD-PALM', recipient: '971501234561' }]);
    const rows = await service.database.select().from(smsMessageTable);
    expect(rows).toMatchObject([{ consent, contact: await hashOf(number, service.secrets), state: 'sent' }]);
    expect(JSON.stringify(rows)).not.toContain('501234561');
  });

  it('is the consent field of the person’s lead in the CRM', async () => {
    const body = { name: 'Sara', phone: number, consent: true };
    const lead = await client.request('POST', '/apps/crm/v1/leads/landing-page', { body });
    const { id } = z.object({ id: z.int() }).parse(lead.body);
    expect((await send()).status).toBe(201);
    const [row] = await service.database.select().from(smsMessageTable);
    expect(row?.consent).toMatchObject({ source: 'CRM', reference: `lead ${id}` });
  });

  it('must not be of the future', async () => {
    const later = { ...consent, at: new Date(Date.now() + 60_000).toISOString() };
    expect(await send({ consent: later })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/consent/at' }] },
    });
  });

  it('is not needed for service messages', async () =>
    expect((await send({ kind: 'service', text: 'Your viewing is at 4 pm.' })).status).toBe(201));
});

describe('the opt-out', () => {
  const openLink = async (): Promise<string> => {
    await send({ consent });
    const [message] = await sent();
    const short = new URL(/https?:\S+/.exec(message?.text ?? '')?.[0] ?? '');
    const opened = await fetch(service.origin + short.pathname, { redirect: 'manual' });
    const { pathname, search } = new URL(opened.headers.get('location') ?? '');
    return service.origin + pathname + search;
  };

  it('link is required in the text', async () =>
    expect(await send({ consent, text: 'A new launch.' })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/text', detail: expect.stringContaining('{optout}') }] },
    }));

  it.each([
    ['en-GB', 'No more marketing', 'إيقاف'],
    ['ar-AE,en;q=0.5', 'لن تصلك رسائل تسويقية', 'Stop'],
  ])(
    'page in %s stops marketing when its button is pressed, and not when it is opened',
    async (language, done, other) => {
      const url = await openLink();
      const headers = { 'accept-language': language, accept: 'text/html' };
      const page = await fetch(url, { headers });
      const text = await page.text();
      expect([page.status, text]).toEqual([200, expect.stringContaining('<form method="post">')]);
      expect(text).toContain(`<html lang="${language.slice(0, 2)}"`);
      expect(text).not.toContain(other);
      expect(page.headers.get('vary')).toContain('Accept-Language');
      expect(await check(number)).toMatchObject({ suppressed: false });
      const contentType = 'application/x-www-form-urlencoded';
      const form = { method: 'POST', headers: { ...headers, 'content-type': contentType }, body: '' };
      expect(await (await fetch(url, form)).text()).toContain(done);
      expect(await check('050 123 4561')).toMatchObject({ contact: number, suppressed: true, source: 'opt-out-link' });
      setHour(12, addDays(tomorrow, 1));
      expect(await send({ consent })).toMatchObject({
        status: 403,
        body: { detail: expect.stringContaining('opted out') },
      });
    },
  );

  it('link of another person is refused', async () => {
    const other = (await openLink()).replace(/opt-out\/\w{4}/, 'opt-out/0000');
    const refused = await fetch(other, { method: 'POST', headers: { accept: 'text/html' } });
    expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('reply STOP')]);
    const arabic = { accept: 'text/html', 'accept-language': 'ar' };
    expect(await (await fetch(other, { headers: arabic })).text()).toContain('هذا الرابط غير مكتمل');
  });

  it.each(['STOP', 'stop.', 'Unsubscribe', 'B PALM', 'إيقاف'])('by the reply %j', async reply => {
    const body = { from: '971501234561', text: reply };
    const answer = await client.request('POST', `${telephony}/sms/replies`, {
      body: { ...body, from: '+971501234561' },
    });
    expect(answer.body).toEqual({ stopped: true });
    expect((await send({ consent })).status).toBe(403);
  });

  it('is not another reply', async () => {
    const body = { from: number, text: 'Stopping by at 4, thanks' };
    expect((await client.request('POST', `${telephony}/sms/replies`, { body })).body).toEqual({ stopped: false });
  });
});

it('a suppression is added, checked and removed by clients, and audited', async () => {
  const add = () => client.request('POST', `${telephony}/suppressions`, { body: { contact: 'Sara@Example.com' } });
  expect((await add()).body).toMatchObject({ contact: 'sara@example.com', suppressed: true, source: 'client' });
  await add();
  expect(await check('SARA@example.com')).toMatchObject({ suppressed: true });
  const remove = () => client.request('DELETE', `${telephony}/suppressions?contact=sara%40example.com`);
  expect([(await remove()).status, (await remove()).status]).toEqual([204, 404]);
  const target = `/suppressions/${await hashOf('sara@example.com', service.secrets)}`;
  const entries = (await service.database.select().from(auditTable)).filter(entry => entry.target === target);
  expect(entries.map(({ action }) => action)).toEqual(['telephony.addSuppression', 'telephony.removeSuppression']);
});

it('a report of a contact has each message with its reason, and is audited', async () => {
  await send({ consent });
  await send({ kind: 'service', text: 'Your viewing is at 4 pm.' });
  const report = await client.request('POST', `${telephony}/contact-reports`, { body: { contact: '050 123 4561' } });
  expect(report.body).toMatchObject({
    suppression: { contact: number, suppressed: false },
    messages: [
      { kind: 'service', state: 'sent', consent: null, client: client.clientId },
      { kind: 'marketing', state: 'sent', consent, dncCheckedAt: expect.any(String) },
    ],
  });
  const actions = (await service.database.select().from(auditTable)).map(({ action }) => action);
  expect(actions).toContain('telephony.reportContact');
});

describe('one marketing message a day', () => {
  it('goes to a number, whichever clients ask, and another one on the next day', async () => {
    const other = await service.client(['telephony']);
    expect((await send({ consent })).status).toBe(201);
    const refused = await send({ consent }, other);
    expect(refused).toMatchObject({ status: 403, body: { detail: expect.stringContaining('already got') } });
    expect(Number(refused.headers.get('retry-after'))).toBe(12 * 3_600);
    setHour(12, addDays(tomorrow, 1));
    expect((await send({ consent }, other)).status).toBe(201);
  });

  it('may be sent after one that the gateway refused', async () => {
    await sandbox.control.settings('telephony', { balance: 0 });
    expect((await send({ consent })).status).toBe(503);
    await sandbox.control.settings('telephony', { balance: 100 });
    expect((await send({ consent })).status).toBe(201);
  });

  it('is reserved by one of 20 processes', async () => {
    const program = path.resolve(import.meta.dirname, '../../../../support/reserve-marketing.ts');
    const loader = path.resolve(import.meta.dirname, '../../../../../core/cli/typescript.mjs');
    const reserve = async (_: unknown, index: number) => {
      const parameters = ['--import', loader, program, service.databaseUrl, String(index)];
      return (await promisify(execFile)(process.execPath, parameters)).stdout;
    };
    const outcomes = await Promise.all(Array.from({ length: 20 }, reserve));
    expect(outcomes.sort()).toEqual([...Array.from({ length: 19 }, () => 'contacted'), 'reserved']);
  });
});

it.each([
  [8, 403],
  [9, 201],
  [17, 201],
  [18, 403],
])('marketing at %i:00 in Dubai gets %i', async (hour, status) => {
  setHour(hour);
  expect((await send({ consent })).status).toBe(status);
});

it('of 1,000 random messages none passes without consent, after an opt-out, twice a day, at night or to a listed number', async () => {
  const numbers = Array.from({ length: 60 }, (_, index) => `+9715012345${String(index).padStart(2, '0')}`);
  const Random = fc.record({
    to: fc.constantFrom(...numbers),
    hasConsent: fc.boolean(),
    hour: fc.integer({ min: 0, max: 23 }),
    day: fc.integer({ min: 0, max: 3 }),
    optsOut: fc.integer({ min: 0, max: 19 }).map(chance => chance === 0),
  });
  const optedOut = new Set<string>();
  const contacted = new Set<string>();
  for (const { to, hasConsent, hour, day, optsOut } of fc.sample(Random, { numRuns: 1_000, seed: 1 })) {
    const dayOf = addDays(tomorrow, day);
    setHour(hour, dayOf);
    if (optsOut) {
      await client.request('POST', `${telephony}/suppressions`, { body: { contact: to } });
      optedOut.add(to);
    }
    const { status } = await send({ to, ...(hasConsent && { consent }) });
    const isListed = to.endsWith('7');
    const isPermitted = hasConsent && hour >= 9 && hour < 18 && !optedOut.has(to) && !isListed;
    expect([to, dayOf, hour, status === 201]).toEqual([to, dayOf, hour, isPermitted && !contacted.has(to + dayOf)]);
    if (status === 201) contacted.add(to + dayOf);
  }
  expect(contacted.size).toBeGreaterThan(50);
  expect(await sent()).toHaveLength(contacted.size);
});
