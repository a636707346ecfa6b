/** One user's data, joined from the chat bot's database and the log store, over HTTP. */
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { UserData } from '../../../../../api/operations/portal/get-user-data.ts';
import { queryChatBot, useChatBotDatabase } from '../../../../support/chat-bot-database.ts';
import { useSandbox } from '../../../../support/sandbox.ts';
import { useClient, useService } from '../../../../support/test-service.ts';

const Known = z.object({ crm_id: z.int(), email: z.string(), name: z.string() });

const sandbox = useSandbox();
const service = useService('user data', () => ({
  sandboxUrl: sandbox.url,
  circuitPauses: { firstMs: 50, maxMs: 100 },
}));
const client = useClient(service, ['portal:read']);
useChatBotDatabase(service);
/** A user of both sources. */
let known: z.infer<typeof Known>;

beforeAll(async () => {
  const [row] = await bot(
    `select crm_id, email, name from users where active and crm_id % 5 = 0 and email = upper(email)
     and (select count(*) from conversations where user_id = users.id) > 2 order by id limit 1`,
  );
  known = Known.parse(row);
});
afterEach(() => sandbox.control.reset('activity-log'));

const bot = (statement: string, values: unknown[] = []) => queryChatBot(service.databaseUrl, statement, values);
const ask = (query: Record<string, string>) =>
  client.request('GET', `/apps/portal/v1/user-data?${new URLSearchParams(query)}`);

describe('a user of both sources', () => {
  it('is returned with profile, conversations and activity, newest first', async () => {
    const reply = await ask({ crm_id: String(known.crm_id) });
    expect(reply).toMatchObject({
      status: 200,
      body: {
        user: { crmId: known.crm_id, name: known.name, email: known.email.toLowerCase(), active: true },
        missing: [],
      },
    });
    const { user, conversations, activity } = UserData.parse(reply.body);
    expect(user.phone).toMatch(/^\+9715\d{8}$/);
    expect(conversations.length).toBeGreaterThan(2);
    const startTimes = conversations.map(({ startedAt }) => startedAt);
    expect(startTimes).toEqual([...startTimes].sort().reverse());
    expect(activity.items.length).toBeGreaterThan(0);
    expect(activity.lastSeenAt).toBe(activity.items[0]?.at);
    const times = activity.items.map(({ at }) => at);
    expect(times).toEqual([...times].sort().reverse());
  });

  it('is found by e-mail in any case and by phone in any format', async () => {
    const byId = await ask({ crm_id: String(known.crm_id) });
    const e164 = UserData.parse(byId.body).user.phone ?? '';
    for (const query of [
      { email: known.email.toLowerCase() },
      { email: ` ${known.email} ` },
      { phone: e164 },
      { phone: `0${e164.slice(4, 6)} ${e164.slice(6)}` },
      { phone: `00${e164.slice(1)}` },
    ])
      expect((await ask(query)).body, JSON.stringify(query)).toEqual(byId.body);
  });

  it('is marked as served by both sandboxes and not cacheable', async () => {
    const { headers } = await ask({ crm_id: String(known.crm_id) });
    expect(headers.get('portal-sandbox')?.split(', ').sort()).toEqual(['activity-log', 'chat-bot']);
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('is read from the active row when an inactive one has the same e-mail', async () => {
    const [twice] = await bot(
      `select lower(email) as email from users group by 1 having count(*) > 1 and bool_or(active)`,
    );
    if (!twice) return expect.fail('the seeds have no duplicate user');
    const { status, body } = await ask({ email: String(twice.email) });
    expect(status).toBe(200);
    expect(UserData.parse(body).user.active).toBe(true);
  });
});

describe('an unknown user', () => {
  it('returns 404', async () => expect(await ask({ email: 'unknown@nowhere.example' })).toMatchObject({ status: 404 }));

  it('of the chat bot with activity in the log store is returned with the activity', async () => {
    const { latest } = await sandbox.control.rows('activity-log', 'activities');
    const visitor = latest.map(row => JSON.stringify(row)).find(row => row.includes('@mail.example'));
    const email = /"email":"([^"]+)"/.exec(visitor ?? '')?.[1] ?? '';
    expect(await ask({ email })).toMatchObject({
      status: 200,
      body: { user: { email: email.toLowerCase(), name: null, active: null }, conversations: [], missing: [] },
    });
  });

  it.each([
    ['none', {}],
    ['two', { crm_id: '5', email: 'a@b.example' }],
    ['three', { crm_id: '5', email: 'a@b.example', phone: '0501234567' }],
  ])('returns 422 for %s of the keys', async (_, query) =>
    expect(await ask(query)).toMatchObject({
      status: 422,
      body: { errors: [{ in: 'query', detail: 'must have exactly one of crm_id, email and phone' }] },
    }),
  );

  it.each([
    [{ crm_id: 'x' }, '/crm_id'],
    [{ email: 'x' }, '/email'],
    [{ phone: '12' }, '/phone'],
  ])('returns 422 for %j', async (query, pointer) =>
    expect(await ask(query)).toMatchObject({ status: 422, body: { errors: [{ pointer, in: 'query' }] } }),
  );
});

describe('a failing source', () => {
  beforeEach(async () => {
    // The circuit may be open after another test.
    const missing = async () => Object((await ask({ crm_id: String(known.crm_id) })).body).missing;
    await expect.poll(missing).toEqual([]);
  });

  it('is named while the other one answers: the log store', async () => {
    await sandbox.control.fault('activity-log', { fault: 'error-500', times: 3 });
    const reply = await ask({ crm_id: String(known.crm_id) });
    expect(reply).toMatchObject({
      status: 200,
      body: { user: { name: known.name }, missing: ['activity-log'], activity: { items: [], lastSeenAt: null } },
    });
  });

  it('is the log store also with partial shards or a timeout in its answer', async () => {
    for (const settings of [{ failedShards: 1 }, { timesOut: true }]) {
      await sandbox.control.reset('activity-log');
      expect((await ask({ crm_id: String(known.crm_id) })).body).toMatchObject({ missing: [] });
      await sandbox.control.settings('activity-log', settings);
      expect((await ask({ crm_id: String(known.crm_id) })).body).toMatchObject({ missing: ['activity-log'] });
    }
  });

  it('is named while the other one answers: the chat bot', async () => {
    await bot('alter table conversations rename to talks');
    const reply = await ask({ crm_id: String(known.crm_id) });
    await bot('alter table talks rename to conversations');
    expect(reply).toMatchObject({
      status: 200,
      body: { user: { crmId: known.crm_id, name: null }, conversations: [], missing: ['chat-bot'] },
    });
    expect(UserData.parse(reply.body).activity.items.length).toBeGreaterThan(0);
  });

  it('is never reported as an unknown user', async () => {
    await sandbox.control.fault('activity-log', { fault: 'error-500', times: 3 });
    expect(await ask({ email: 'unknown@nowhere.example' })).toMatchObject({
      status: 502,
      body: { detail: 'The log store failed: unexpected null (null_pointer_exception).' },
    });
  });
});
