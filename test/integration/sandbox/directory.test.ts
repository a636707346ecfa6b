/** Tests that the simulated identity directory behaves like the vendor's: keys, paging, groups, state jobs. */
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { useSandbox } from '../../support/sandbox.ts';

const sandbox = useSandbox();
afterEach(() => sandbox.control.reset('directory'));

const Users = z.object({
  totalCount: z.int(),
  results: z.array(z.looseObject({ _id: z.string(), email: z.string().optional(), state: z.string().optional() })),
});
const Jobs = z.array(z.object({ scheduledJobId: z.string(), systemUserId: z.string(), state: z.string() }));

const ask = (method: string, path: string, body?: object, key = 'sandbox'): Promise<Response> =>
  fetch(`${sandbox.url}/directory${path}`, {
    method,
    headers: { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
const users = async (query: string) => Users.parse(await (await ask('GET', `/systemusers?${query}`)).json());

describe('lists', () => {
  it('require the key', async () => {
    const rejected = await ask('GET', '/systemusers', undefined, 'wrong');
    expect([rejected.status, await rejected.json()]).toEqual([401, { message: 'Unauthorized' }]);
  });

  it('return ten rows by default, 100 at most, and the total', async () => {
    expect(await users('')).toMatchObject({ totalCount: 260, results: { length: 10 } });
    expect((await users('limit=100&sort=_id')).results).toHaveLength(100);
    const tooMany = await ask('GET', '/systemusers?limit=101');
    expect([tooMany.status, await tooMany.json()]).toEqual([
      400,
      { message: 'Bad Request: request parameter "limit" exceeds maximum value of 100' },
    ]);
  });

  it('have a stable request between pages only when sorted', async () => {
    const ids = async (query: string) => (await users(query)).results.map(({ _id }) => _id);
    const sorted = [...(await ids('sort=_id&limit=50')), ...(await ids('sort=_id&limit=50&skip=50'))];
    expect(new Set(sorted).size).toBe(100);
    const unsorted = [...(await ids('limit=50')), ...(await ids('limit=50&skip=50'))];
    expect(new Set(unsorted).size).toBeLessThan(100);
  });

  it('filter, search and return only the selected fields', async () => {
    const suspended = await users('filter=state:$eq:SUSPENDED&fields=email state&limit=100');
    expect(suspended.totalCount).toBeGreaterThan(20);
    expect(Object.keys(suspended.results[0] ?? {}).sort()).toEqual(['_id', 'email', 'state']);
    const found = await ask('POST', '/search/systemusers', {
      filter: { and: [{ state: 'ACTIVATED' }] },
      searchFilter: { searchTerm: '@MERIDIANPALM', fields: ['email'] },
      limit: 1,
    });
    expect(Users.parse(await found.json())).toMatchObject({ results: [{ state: 'ACTIVATED' }] });
  });

  it('return 429 above the limit of the setting', async () => {
    await sandbox.control.settings('directory', { callsPerMinute: 2 });
    const statuses = [
      await ask('GET', '/systemusers'),
      await ask('GET', '/systemusers'),
      await ask('GET', '/systemusers'),
    ];
    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 429]);
  });
});

describe('answers', () => {
  it('leave out what a user or group does not have, instead of null', async () => {
    const [user] = (await users('sort=_id&limit=1')).results;
    for (const member of ['manager', 'alternateEmail', 'employeeIdentifier']) expect(user).not.toHaveProperty(member);
    const groups = await (await ask('GET', '/v2/usergroups?limit=100')).text();
    expect(groups).not.toContain('null');
  });

  it('contain errors of API v2 as code, message and status', async () => {
    const unknown = await ask('GET', `/v2/users/${'0'.repeat(24)}/memberof`);
    expect(await unknown.json()).toEqual({ code: 404, message: 'Not Found', status: 'NOT_FOUND' });
    await sandbox.control.fault('directory', { fault: 'limit' });
    const limited = await ask('GET', '/v2/usergroups');
    expect(await limited.json()).toEqual({ code: 429, message: 'Too Many Requests', status: 'TOO_MANY_REQUESTS' });
  });

  it('to a search ignore unknown members, such as sort', async () => {
    const found = await ask('POST', '/search/systemusers', { sort: '-_id', unknown: 1, limit: 10 });
    const { results } = Users.parse(await found.json());
    expect(results).toEqual((await users('limit=10')).results);
  });
});

describe('faults of lists', () => {
  it('shorten each page according to the setting "shortPages"', async () => {
    await sandbox.control.settings('directory', { shortPages: 2 });
    expect((await users('limit=50&sort=_id')).results).toHaveLength(48);
  });

  it('delete rows between pages according to the setting "deletedRows"', async () => {
    await sandbox.control.settings('directory', { deletedRows: 1 });
    expect((await users('limit=50&sort=_id')).totalCount).toBe(260);
    expect((await users('limit=50&sort=_id&skip=50')).totalCount).toBe(259);
    expect((await users('limit=50&sort=_id&skip=100')).totalCount).toBe(259);
  });
});

describe('groups', () => {
  it('of a user contain ids only, with a total in a header only according to the setting "totals"', async () => {
    const [user] = (await users('sort=-_id&limit=1')).results;
    const path = `/v2/users/${user?._id}/memberof?limit=100`;
    expect((await ask('GET', path)).headers.get('x-total-count')).toBeNull();
    await sandbox.control.settings('directory', { totals: true });
    const response = await ask('GET', path);
    const parents = z.array(z.record(z.string(), z.unknown())).parse(await response.json());
    expect(response.headers.get('x-total-count')).toBe(String(parents.length));
    expect(Object.keys(parents[0] ?? {}).sort()).toEqual(['compiledAttributes', 'id', 'paths', 'type']);
  });

  it('return 404 when a member is removed a second time', async () => {
    const [user] = (await users('sort=-_id&limit=1')).results;
    const parents = await (await ask('GET', `/v2/users/${user?._id}/memberof`)).json();
    const [{ id }] = z.tuple([z.object({ id: z.string() })], z.unknown()).parse(parents);
    const remove = () => ask('POST', `/v2/usergroups/${id}/members`, { op: 'remove', type: 'user', id: user?._id });
    expect([(await remove()).status, (await remove()).status]).toEqual([204, 404]);
  });
});

describe('user-state jobs', () => {
  it('are created for each request, and run when due', async () => {
    const [user] = (await users('sort=-_id&limit=1')).results;
    const request = {
      user_ids: [user?._id],
      state: 'SUSPENDED',
      start_date: new Date(Date.now() + 3_600_000).toISOString(),
    };
    expect((await ask('POST', '/v2/bulk/userstates', request)).status).toBe(201);
    expect((await ask('POST', '/v2/bulk/userstates', request)).status).toBe(201);
    const jobs = async () => Jobs.parse(await (await ask('GET', `/v2/bulk/userstates?userid=${user?._id}`)).json());
    const state = async () =>
      z.object({ state: z.string() }).parse(await (await ask('GET', `/systemusers/${user?._id}`)).json()).state;
    expect(await jobs()).toHaveLength(2);
    expect(await state()).toBe('ACTIVATED');

    await sandbox.control.settings('directory', { clockAheadSeconds: 3_601 });
    expect(await state()).toBe('SUSPENDED');
    expect(await jobs()).toEqual([]);
  });

  it('are rejected for an unknown user and with e-mail fields for a suspension', async () => {
    const request = { state: 'SUSPENDED', start_date: '2040-01-01T00:00:00Z' };
    const [user] = (await users('limit=1')).results;
    const rejected = [
      await ask('POST', '/v2/bulk/userstates', { ...request, user_ids: ['0'.repeat(24)] }),
      await ask('POST', '/v2/bulk/userstates', { ...request, user_ids: [user?._id], send_activation_emails: true }),
    ];
    expect(rejected.map(({ status }) => status)).toEqual([400, 400]);
  });
});
