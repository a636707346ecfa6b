import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import directorySystem from '../../../../../core/integrations/directory/system.ts';
import { DirectoryGroup, DirectoryUser } from '../../../../../core/integrations/directory/wire.ts';
import type { Reply } from '../../../../support/api-client.ts';
import { useSandbox } from '../../../../support/sandbox.ts';
import { startTestService, useClient, useService } from '../../../../support/test-service.ts';

const base = '/apps/directory/v1';
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

const pageOf = <T extends z.ZodType>(item: T) =>
  z.object({ items: z.array(item), nextCursor: z.string().nullable(), total: z.int() });
const Users = pageOf(DirectoryUser);
const StateJobs = z.object({
  items: z.array(z.object({ id: z.string(), userId: z.string(), state: z.string(), startDate: z.string() })),
});

const sandbox = useSandbox();
const service = useService('directory', () => ({ sandboxUrl: sandbox.url }));
const client = useClient(service, ['directory:read', 'directory:write']);

afterEach(() => sandbox.control.reset('directory'));

const get = (path: string): Promise<Reply> => client.request('GET', base + path);
const schedule = (body: object, headers: Record<string, string> = {}): Promise<Reply> =>
  client.request('POST', `${base}/user-state-jobs`, { body, headers });
const firstUsers = async (limit: number) => Users.parse((await get(`/users?limit=${limit}`)).body).items;

describe('users and groups', () => {
  it('returns every user once over all pages', async () => {
    const seen: string[] = [];
    let path: string | undefined = `${base}/users?limit=150`;
    while (path !== undefined) {
      const reply = await client.request('GET', path);
      seen.push(...Users.parse(reply.body).items.map(({ id }) => id));
      expect(reply.headers.get('portal-sandbox')).toBe('directory');
      path = /<\/v2([^>]+)>; rel="next"/.exec(reply.headers.get('link') ?? '')?.[1];
    }
    expect(seen).toHaveLength(260);
    expect(new Set(seen).size).toBe(260);
  });

  it('returns e-mails in lower case and phones as E.164', async () => {
    const users = await firstUsers(200);
    expect(users.every(({ email }) => email === null || email === email.toLowerCase())).toBe(true);
    expect(users.flatMap(({ phones }) => phones).every(({ number }) => /^\+9715\d{8}$/.test(number))).toBe(true);
    expect(new Set(users.map(({ state }) => state))).toEqual(new Set(['ACTIVATED', 'SUSPENDED', 'STAGED']));
  });

  it('searches users by part of a text and by exact values', async () => {
    const search = (body: object) => client.request('POST', `${base}/users/search?limit=200`, { body });
    const khans = Users.parse((await search({ text: 'KHAN', fields: ['lastName'] })).body);
    expect(khans.total).toBeGreaterThan(0);
    expect(khans.items.every(({ lastName }) => /khan/i.test(lastName ?? ''))).toBe(true);
    const leasing = Users.parse((await search({ filter: { department: 'Leasing', state: 'SUSPENDED' } })).body);
    expect(leasing.items.length).toBeGreaterThan(0);
    expect(leasing.items.every(user => user.department === 'Leasing' && user.state === 'SUSPENDED')).toBe(true);
    expect(await search({})).toMatchObject({ status: 422, body: { errors: [{ pointer: '' }] } });
    expect(await search({ text: 'x', fields: ['salary'] })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/fields/0' }] },
    });
  });

  it('returns a user’s groups with names', async () => {
    const groups = pageOf(DirectoryGroup).parse((await get('/groups?limit=200')).body);
    expect(groups).toMatchObject({ total: 21, nextCursor: null });
    const user = (await firstUsers(100)).find(({ department }) => department === 'Leasing');
    const { body } = await get(`/users/${user?.id}/groups`);
    const names = z
      .object({ items: z.array(z.object({ name: z.string() })) })
      .parse(body)
      .items.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['All staff', 'Department Leasing', `Office ${user?.office}`]));
  });

  it('returns 404 for an unknown user and 422 for an invalid id', async () => {
    expect((await get(`/users/${'0'.repeat(24)}/groups`)).status).toBe(404);
    expect(await get('/users/x/groups')).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/id', in: 'path' }] },
    });
    expect((await get('/users?cursor=x')).status).toBe(422);
  });
});

describe('a change of state', () => {
  it('is scheduled, listed, and executed when it is due', async () => {
    const [one, other] = (await firstUsers(100)).filter(({ state }) => state === 'ACTIVATED');
    const order = { userIds: [one?.id, other?.id, one?.id], state: 'SUSPENDED', startDate: inAnHour() };
    const reply = await schedule(order);
    expect(reply.status).toBe(201);
    const jobs = StateJobs.parse(reply.body).items;
    expect(jobs.map(({ userId }) => userId)).toEqual([one?.id, other?.id]);
    expect(StateJobs.parse((await get(`/user-state-jobs?userId=${one?.id}`)).body).items).toEqual([jobs[0]]);

    await sandbox.control.settings('directory', { clockAheadSeconds: 3_601 });
    const directory = directorySystem.client(service.systems);
    expect(await directory.user(one?.id ?? '')).toMatchObject({ state: 'SUSPENDED' });
    expect(StateJobs.parse((await get('/user-state-jobs')).body).items).toEqual([]);
  });

  it('is not scheduled again by the same request, with a key or without', async () => {
    const userIds = (await firstUsers(3)).map(({ id }) => id);
    const order = { userIds, state: 'SUSPENDED', startDate: inAnHour() };
    const first = await schedule(order, { 'idempotency-key': 'leavers' });
    const replayed = await schedule(order, { 'idempotency-key': 'leavers' });
    const again = await schedule(order);
    expect(replayed.headers.get('idempotent-replayed')).toBe('true');
    expect([replayed.body, again.body]).toEqual([first.body, first.body]);
    expect((await sandbox.control.rows('directory', 'state-jobs')).count).toBe(3);
  });

  it('is not scheduled twice when the answer was lost', async () => {
    await sandbox.control.fault('directory', { fault: 'drop-after-commit', method: 'POST' });
    const [user] = await firstUsers(1);
    const reply = await schedule({ userIds: [user?.id], state: 'SUSPENDED', startDate: inAnHour() });
    expect(reply.status).toBe(201);
    expect((await sandbox.control.rows('directory', 'state-jobs')).count).toBe(1);
  });

  it.each([
    [{ startDate: '2020-01-01T00:00:00Z' }, '/startDate'],
    [{ startDate: 'tomorrow' }, '/startDate'],
    [{ state: 'STAGED' }, '/state'],
    [{ userIds: [] }, '/userIds'],
    [{ userIds: ['x'] }, '/userIds/0'],
  ])('with %j returns 422 with a pointer', async (fields, pointer) => {
    const [user] = await firstUsers(1);
    const reply = await schedule({ userIds: [user?.id], state: 'SUSPENDED', startDate: inAnHour(), ...fields });
    expect(reply).toMatchObject({ status: 422, body: { errors: [{ pointer }] } });
  });

  it('of unknown users points to them and schedules nothing', async () => {
    const [user] = await firstUsers(1);
    const userIds = [user?.id, user?.id, '0'.repeat(24)];
    const reply = await schedule({ userIds, state: 'SUSPENDED', startDate: inAnHour() });
    expect(reply).toMatchObject({ status: 422, body: { errors: [{ pointer: '/userIds/2' }] } });
    expect((await sandbox.control.rows('directory', 'state-jobs')).count).toBe(0);
  });
});

describe('the connector’s actions for terminations', () => {
  it('suspend a user, expire the password, remove the user from groups, and can be repeated', async () => {
    const directory = directorySystem.client(service.systems);
    const [user] = (await firstUsers(100)).filter(({ state, office }) => state === 'ACTIVATED' && office !== null);
    const [found] = await directory.usersByEmail(user?.email?.toUpperCase() ?? '');
    expect(found?.id).toBe(user?.id);
    const id = found?.id ?? '';
    expect(await directory.setState(id, 'SUSPENDED')).toMatchObject({ state: 'SUSPENDED' });
    expect(await directory.setState(id, 'SUSPENDED')).toMatchObject({ state: 'SUSPENDED' });
    expect(await directory.expirePassword(id)).toBe(true);
    const groups = (await directory.groupsOfUser(id)) ?? [];
    expect(groups.length).toBeGreaterThan(1);
    for (const group of groups) expect(await directory.removeFromGroup(group.id, id)).toBe(true);
    for (const group of groups) expect(await directory.removeFromGroup(group.id, id)).toBe(false);
    expect(await directory.groupsOfUser(id)).toEqual([]);
    const unknown = '0'.repeat(24);
    expect([await directory.setState(unknown, 'SUSPENDED'), await directory.expirePassword(unknown)]).toEqual([
      undefined,
      false,
    ]);
  });
});

describe('a list with short pages and without a total', () => {
  const ids = (users: readonly { id: string }[]) => users.map(({ id }) => id);

  it('is read to its end: no job is lost, and none is created twice', async () => {
    const userIds = ids(Users.parse((await get('/users?limit=120')).body).items);
    const startDate = inAnHour();
    const scheduleAll = async () => {
      for (const some of [userIds.slice(0, 100), userIds.slice(100)])
        expect((await schedule({ userIds: some, state: 'SUSPENDED', startDate })).status).toBe(201);
    };
    await scheduleAll();
    await sandbox.control.settings('directory', { shortPages: 1 });
    await scheduleAll();
    expect((await sandbox.control.rows('directory', 'state-jobs')).count).toBe(120);

    const Jobs = pageOf(z.object({ userId: z.string() }));
    const pages = [Jobs.parse((await get('/user-state-jobs?limit=110')).body)];
    const cursor = pages[0]?.nextCursor;
    pages.push(Jobs.parse((await get(`/user-state-jobs?limit=110&cursor=${cursor}`)).body));
    expect(pages).toMatchObject([{ total: 120 }, { total: 120, nextCursor: null }]);
    const listed = pages.flatMap(({ items }) => items.map(({ userId }) => userId));
    expect(listed.sort()).toEqual(userIds.sort());
  });

  it('contains every user and every group once', async () => {
    await sandbox.control.settings('directory', { shortPages: 7 });
    const directory = directorySystem.client(service.systems);
    expect(new Set(ids(await directory.users())).size).toBe(260);
    expect(pageOf(DirectoryGroup).parse((await get('/groups?limit=200')).body)).toMatchObject({
      items: { length: 21 },
      total: 21,
    });
    expect(new Set(ids(Users.parse((await get('/users?limit=200')).body).items)).size).toBe(200);
  });
});

describe('a list that changes while it is read', () => {
  /** Sorted. */
  const storedIds = async (collection: string, row: z.ZodType<Record<string, string>>) => {
    const { latest } = await sandbox.control.rows('directory', collection, 1_000);
    return latest.flatMap(one => Object.values(row.parse(one))).sort();
  };

  it('is read again: a deleted user hides no other user', async () => {
    await sandbox.control.settings('directory', { deletedRows: 1 });
    const users = await directorySystem.client(service.systems).users();
    expect(users).toHaveLength(259);
    expect(users.map(({ id }) => id)).toEqual(await storedIds('users', z.object({ _id: z.string() })));
  });

  it('is read again also when the vendor returns no total', async () => {
    const userIds = (await firstUsers(200)).map(({ id }) => id);
    const startDate = inAnHour();
    for (const some of [userIds.slice(0, 100), userIds.slice(100)])
      await schedule({ userIds: some, state: 'SUSPENDED', startDate });
    await sandbox.control.settings('directory', { deletedRows: 1 });
    const jobs = await directorySystem.client(service.systems).stateJobs();
    expect(jobs).toHaveLength(199);
    const stored = await storedIds('state-jobs', z.object({ scheduledJobId: z.string() }));
    expect(jobs.map(({ id }) => id).sort()).toEqual(stored);
  });

  it('is reported as incomplete if it changes during every read', async () => {
    await sandbox.control.settings('directory', { deletedRows: 1_000 });
    await expect(directorySystem.client(service.systems).users()).rejects.toMatchObject({
      message: expect.stringContaining('incomplete list of users'),
      transient: true,
      failure: { code: 'incomplete' },
    });
  });
});

describe('a search with several pages', () => {
  it('returns every match once, although the directory does not sort it', async () => {
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const path = `${base}/users/search?limit=50${cursor && `&cursor=${cursor}`}`;
      const { body } = await client.request('POST', path, { body: { text: '@' } });
      const page = Users.parse(body);
      expect(page.total).toBe(260);
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    expect(seen).toHaveLength(260);
    expect(new Set(seen).size).toBe(260);
  });
});

describe('a failure of the directory', () => {
  it.each([
    ['html', 502, 'failed.'],
    ['error-500', 502, 'failed: Internal Server Error.'],
    ['malformed', 502, 'failed: a body that is not JSON (malformed).'],
    ['unauthorized', 502, 'rejects our credentials: Unauthorized.'],
    ['limit', 503, 'takes no more calls for now: Too Many Requests'],
  ] as const)('%s returns %d with the vendor’s own text, but no web page', async (fault, status, text) => {
    await sandbox.control.fault('directory', { fault, times: 3 });
    const reply = await get('/groups');
    expect(reply.status).toBe(status);
    expect(reply.body).toMatchObject({ detail: expect.stringContaining(`The identity directory ${text}`) });
    expect(reply.bytes.toString()).not.toMatch(/nginx|Bad Gateway/);
    // Repeated failures of several tests would open the circuit.
    await sandbox.control.reset('directory');
    expect((await get('/groups')).status).toBe(200);
  });

  it('returns 503 when it is not configured', async () => {
    const bare = await startTestService('no directory');
    try {
      const caller = await bare.client(['directory:read']);
      const reply = await caller.request('GET', `${base}/users`);
      expect(reply).toMatchObject({
        status: 503,
        body: { type: 'http://portal.example/v2/problems/system-not-configured' },
      });
    } finally {
      await bare.close();
    }
  });
});
