/** What the directory receives for users and groups, and how its answers are read. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Directory } from '../../../../../core/integrations/directory/system.ts';
import directorySystem from '../../../../../core/integrations/directory/system.ts';
import { once, openClient, useVendor } from '../../../../support/vendor.ts';

const usersPath = 'GET /systemusers';
const searchPath = 'POST /search/systemusers';
const groupsPath = 'GET /v2/usergroups';

const vendor = await useVendor();
let directory: Directory;

beforeEach(() => {
  directory = openClient(directorySystem, { DIRECTORY_URL: vendor.url, DIRECTORY_API_KEY: 'key' });
});

const user = (id: string, change: object = {}) => ({ _id: id, state: 'ACTIVATED', ...change });
const found = (...rows: object[]) => ({ json: { totalCount: rows.length, results: rows } });
const idsOf = ({ items }: { items: readonly { id: string }[] }) => items.map(({ id }) => id);

describe('users', () => {
  it('are read by id, 100 a page', async () => {
    const rows = Array.from({ length: 150 }, (_, index) => user(String(1_000 + index)));
    vendor.on(usersPath, ({ query }) => ({
      json: { totalCount: 150, results: rows.slice(Number(query.skip), Number(query.skip) + Number(query.limit)) },
    }));
    expect(await once(() => directory.users())).toHaveLength(150);
    expect(vendor.received.map(({ query }) => query)).toEqual([
      { sort: '_id', limit: '100', skip: '0' },
      { sort: '_id', limit: '100', skip: '99' },
    ]);
  });

  it('of a range are read with the total', async () => {
    vendor.on(usersPath, { json: { totalCount: 50, results: [user('a'), user('b')] } });
    const page = await once(() => directory.usersPage({ offset: 10, limit: 2 }));
    expect([idsOf(page), page.total]).toEqual([['a', 'b'], 50]);
    expect(vendor.received[0]?.query).toEqual({ sort: '_id', limit: '2', skip: '10' });
  });
});

describe('the search', () => {
  it('sends the directory’s names of the fields, and leaves out what is not searched for', async () => {
    vendor.on(searchPath, found());
    const wanted = {
      text: { words: 'sara', fields: ['email', 'employeeNumber'] },
      exactly: { state: 'ACTIVATED', office: 'Dubai', jobTitle: undefined },
    } as const;
    await once(() => directory.searchUsers(wanted, { offset: 0, limit: 10 }));
    expect(vendor.received[0]?.body).toEqual({
      filter: { and: [{ state: 'ACTIVATED' }, { location: 'Dubai' }] },
      searchFilter: { searchTerm: 'sara', fields: ['email', 'employeeIdentifier'] },
      limit: 100,
      skip: 0,
    });
    await once(() => directory.searchUsers({}, { offset: 0, limit: 10 }));
    expect(vendor.received[1]?.body).toEqual({ limit: 100, skip: 0 });
  });

  it('returns a range of all matches by id', async () => {
    vendor.on(searchPath, found(user('c'), user('a'), user('d'), user('b')));
    const page = await once(() => directory.searchUsers({}, { offset: 1, limit: 2 }));
    expect([idsOf(page), page.total]).toEqual([['b', 'c'], 4]);
  });

  it('reads all pages, which do not overlap', async () => {
    const rows = Array.from({ length: 120 }, (_, index) => user(String(1_000 + index)));
    vendor.on(searchPath, ({ body }) => {
      const { skip, limit } = Object(body);
      return { json: { totalCount: 120, results: rows.slice(skip, skip + limit) } };
    });
    expect((await once(() => directory.searchUsers({}, { offset: 0, limit: 1 }))).total).toBe(120);
    expect(vendor.received.map(({ body }) => Object(body).skip)).toEqual([0, 100]);
  });

  it('by e-mail ignores case and spaces, and returns whole matches only', async () => {
    vendor.on(
      searchPath,
      found(user('a', { email: 'Sara@Example.com' }), user('b', { email: 'other.sara@example.com' }), user('c')),
    );
    expect((await once(() => directory.usersByEmail(' SARA@example.com '))).map(({ id }) => id)).toEqual(['a']);
    expect(vendor.received[0]?.body).toMatchObject({
      searchFilter: { searchTerm: 'sara@example.com', fields: ['email'] },
    });
  });
});

describe('one user', () => {
  it('is undefined when the directory has none', async () => {
    vendor.on('GET /systemusers/a', { status: 404 });
    expect(await once(() => directory.user('a'))).toBeUndefined();
  });

  it('is an error when the directory rejects the call', async () => {
    vendor.on('GET /systemusers/a', { status: 403 });
    await expect(once(() => directory.user('a'))).rejects.toMatchObject({ failure: { status: 403 } });
  });

  it('is returned with the new state after a change of the state', async () => {
    vendor.on('PUT /systemusers/a', ({ body }) => ({ json: { ...user('a'), ...Object(body) } }));
    expect(await once(() => directory.setState('a', 'SUSPENDED'))).toMatchObject({ id: 'a', state: 'SUSPENDED' });
    expect(vendor.received[0]?.body).toEqual({ state: 'SUSPENDED' });
    vendor.on('PUT /systemusers/a', { status: 404 });
    expect(await once(() => directory.setState('a', 'SUSPENDED'))).toBeUndefined();
  });

  it('needs a new password after its password expired', async () => {
    vendor.on('POST /systemusers/a/expire', {}, { status: 404 });
    expect(await once(() => directory.expirePassword('a'))).toBe(true);
    expect(await once(() => directory.expirePassword('a'))).toBe(false);
  });
});

describe('groups', () => {
  const group = (id: string) => ({ id, name: `Group ${id}`, membershipMethod: 'STATIC', description: '' });
  const ourGroup = (id: string) => ({ id, name: `Group ${id}`, membership: 'STATIC', description: null });

  it('are read by id with their membership', async () => {
    vendor.on(groupsPath, { json: [group('a'), group('b'), group('c')] }, { json: [group('c')] });
    expect(await once(() => directory.groups())).toEqual([ourGroup('a'), ourGroup('b'), ourGroup('c')]);
    expect(vendor.received.map(({ query }) => query)).toEqual([
      { sort: 'id', limit: '100', skip: '0' },
      { sort: 'id', limit: '100', skip: '2' },
    ]);
  });

  it('of a range are cut from all', async () => {
    vendor.on(groupsPath, { json: [group('a'), group('b'), group('c')] }, { json: [group('c')] });
    const page = await once(() => directory.groupsPage({ offset: 1, limit: 1 }));
    expect(page).toEqual({ items: [ourGroup('b')], total: 3 });
  });

  describe('of a user', () => {
    const memberOf = 'GET /v2/users/u/memberof';

    it('are its parents of the type group, with the names that the groups have', async () => {
      const parents = [
        { type: 'user_group', id: 'a' },
        { type: 'ldap_server', id: 'x' },
        { type: 'user_group', id: 'gone' },
      ];
      vendor.on(memberOf, ({ query }) => ({ json: query.skip === '0' ? parents : [] }));
      vendor.on(groupsPath, ({ query }) => ({ json: query.skip === '0' ? [group('a'), group('b')] : [group('b')] }));
      expect(await once(() => directory.membershipsOfUser('u'))).toEqual([
        { id: 'a', name: 'Group a', membership: 'STATIC' },
        { id: 'gone', name: null, membership: null },
      ]);
      expect(await once(() => directory.groupsOfUser('u'))).toEqual([
        { id: 'a', name: 'Group a' },
        { id: 'gone', name: null },
      ]);
    });

    it('are none for a user without groups; the names are not read then', async () => {
      vendor.on(memberOf, { json: [] });
      expect(await once(() => directory.groupsOfUser('u'))).toEqual([]);
      expect(vendor.calls()).toEqual([memberOf]);
    });

    it('are undefined when there is no such user', async () => {
      vendor.on(memberOf, { status: 404 });
      expect(await once(() => directory.membershipsOfUser('u'))).toBeUndefined();
      expect(await once(() => directory.groupsOfUser('u'))).toBeUndefined();
    });
  });

  it('lose a member; false when the user was none', async () => {
    const members = 'POST /v2/usergroups/g/members';
    vendor.on(members, { status: 204 }, { status: 404 });
    expect(await once(() => directory.removeFromGroup('g', 'u'))).toBe(true);
    expect(vendor.received[0]?.body).toEqual({ op: 'remove', type: 'user', id: 'u' });
    expect(await once(() => directory.removeFromGroup('g', 'u'))).toBe(false);
  });
});
