/** Users of the property-project system: pages, searches, writes and rejections. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { PropertyProjects } from '../../../../../core/integrations/property-projects/system.ts';
import propertyProjects from '../../../../../core/integrations/property-projects/system.ts';
import { ProjectUserFields } from '../../../../../core/integrations/property-projects/user.ts';
import { once, openClient, useVendor } from '../../../../support/vendor.ts';

const list = 'GET /users';
const create = 'POST /users';
const fields = ProjectUserFields.parse({ firstName: 'Sara', lastName: 'Haddad', email: 'sara@example.com', crmId: 17 });
const row = { id: 31, first_name: 'Sara', last_name: 'Haddad', email: 'Sara@Example.com', crm_id: 17 };

const vendor = await useVendor();
let projects: PropertyProjects;

beforeEach(() => {
  projects = openClient(propertyProjects, { PROPERTY_PROJECTS_URL: vendor.url, PROPERTY_PROJECTS_API_KEY: 'key' });
});

/** A list with the ids 1 to `count`, of which the system counts `total`. */
function listed(count: number, total = count): void {
  vendor.on(list, ({ query }) => {
    const first = (Number(query.page) - 1) * Number(query.limit);
    const length = Math.max(0, Math.min(Number(query.limit), count - first));
    const data = Array.from({ length }, (_, index) => ({ id: first + index + 1, crm_id: (first + index) % 2 }));
    return { json: { data, meta: { total } } };
  });
}
const pagesRead = () => vendor.received.map(({ query }) => query.page);

describe('a range of users', () => {
  it.each([
    [{ offset: 0, limit: 10 }, ['1'], 1, 10],
    [{ offset: 0, limit: 100 }, ['1'], 1, 100],
    [{ offset: 95, limit: 10 }, ['1', '2'], 96, 10],
    [{ offset: 100, limit: 100 }, ['2'], 101, 100],
    [{ offset: 245, limit: 10 }, ['3'], 246, 5],
    [{ offset: 240, limit: 100 }, ['3'], 241, 10],
    [{ offset: 500, limit: 10 }, ['6'], undefined, 0],
  ])('%j is read with the pages %j', async (range, pages, first, length) => {
    listed(250);
    const { items, total } = await once(() => projects.usersPage(range));
    expect(pagesRead()).toEqual(pages);
    expect([items.length, total, items[0]?.id]).toEqual([length, 250, first?.toString()]);
    expect(vendor.received[0]?.query.limit).toBe('100');
    expect(vendor.received[0]?.headers.authorization).toBe('Bearer key');
  });
});

describe('the search', () => {
  it('by e-mail reads all users, and ignores case and spaces', async () => {
    const meta = { total: 2 };
    vendor.on(list, { json: { data: [row], meta } }, { json: { data: [{ id: 2, email: null }], meta } });
    const found = await once(() => projects.usersByEmail(' SARA@example.com'));
    expect(found.map(({ id }) => id)).toEqual(['31']);
    expect(pagesRead()).toEqual(['1', '2']);
  });

  it('names a user who has the key and cannot be read, and leaves out others', async () => {
    const meta = { total: 2 };
    const odd = { ...row, id: 32, email: 'omar@example.com', crm_id: 18, active: 'perhaps' };
    vendor.on(list, { json: { data: [row, odd], meta } });
    expect(await once(() => projects.usersByCrmId(17))).toHaveLength(1);
    const reason = 'property-projects user 32: active';
    await expect(once(() => projects.usersByCrmId(18))).rejects.toThrow(reason);
    await expect(once(() => projects.usersByEmail('omar@example.com'))).rejects.toThrow(reason);
  });

  it('by CRM id returns all users with it', async () => {
    listed(200);
    const found = await once(() => projects.usersByCrmId(1));
    expect([found.length, found[0]?.id, pagesRead()]).toEqual([100, '2', ['1', '2']]);
  });

  it('reads on when the system returns shorter pages than asked for', async () => {
    const meta = { total: 2 };
    vendor.on(list, { json: { data: [{ id: 1 }], meta } }, { json: { data: [row], meta } });
    expect(await once(() => projects.usersByCrmId(17))).toHaveLength(1);
    expect(pagesRead()).toEqual(['1', '2']);
  });

  it('fails when the system counts more users than it returns', async () => {
    listed(200, 1_000);
    await expect(once(() => projects.usersByCrmId(1))).rejects.toMatchObject({
      message: 'The property-project system counted 1000 users and returned 200.',
      failure: { code: 'incomplete', kind: 'incomplete' },
    });
    expect(pagesRead()).toEqual(['1', '2', '3']);
  });
});

describe('one user', () => {
  it('is read by its id', async () => {
    vendor.on('GET /users/a%2Fb', { json: { data: row } });
    expect(await once(() => projects.user('a/b'))).toMatchObject({ id: '31', firstName: 'Sara', crmId: 17 });
  });

  it('is undefined when there is none', async () => {
    vendor.on('GET /users/7', { status: 404 });
    vendor.on('PUT /users/7', { status: 404 });
    expect(await once(() => projects.user('7'))).toBeUndefined();
    expect(await once(() => projects.updateUser('7', fields))).toBeUndefined();
  });

  it('is changed with the system’s names', async () => {
    vendor.on('PUT /users/31', { json: { data: row } });
    expect(await once(() => projects.updateUser('31', fields))).toMatchObject({ id: '31' });
    expect(vendor.received[0]?.body).toEqual({
      first_name: 'Sara',
      last_name: 'Haddad',
      email: 'sara@example.com',
      phone: null,
      role: 'viewer',
      crm_id: 17,
      active: true,
    });
  });

  it('is deleted; false when there was none', async () => {
    vendor.on('DELETE /users/31', { status: 204 }, { status: 404 });
    expect(await once(() => projects.deleteUser('31'))).toBe(true);
    expect(await once(() => projects.deleteUser('31'))).toBe(false);
  });
});

describe('a new user', () => {
  it('is created', async () => {
    vendor.on(create, { status: 201, json: { data: row } });
    expect(await once(() => projects.createUser(fields))).toMatchObject({ id: '31' });
    expect(vendor.received[0]?.body).toMatchObject({ first_name: 'Sara', crm_id: 17 });
    expect(vendor.calls()).toEqual([create]);
  });

  it('is looked up by e-mail and name when the answer was lost', async () => {
    vendor.on(create, { drop: true });
    vendor.on(list, { json: { data: [row], meta: { total: 1 } } });
    expect(await once(() => projects.createUser(fields))).toMatchObject({ id: '31' });
    expect(vendor.calls()).toEqual([create, list]);
  });

  it.each([[{ first_name: 'Sam' }], [{ last_name: 'Other' }], [{ email: 'other@example.com' }]])(
    'stays an error when the answer was lost and the user found has %j',
    async change => {
      vendor.on(create, { drop: true });
      vendor.on(list, { json: { data: [{ ...row, ...change }], meta: { total: 1 } } });
      await expect(once(() => projects.createUser(fields))).rejects.toMatchObject({ maybeExecuted: true });
    },
  );

  it('stays an error when the lookup fails as well', async () => {
    vendor.on(create, { status: 500 });
    vendor.on(list, { status: 400 });
    await expect(once(() => projects.createUser(fields))).rejects.toMatchObject({ failure: { status: 500 } });
  });

  it('is not looked up after a rejection', async () => {
    vendor.on(create, { status: 400 });
    await expect(once(() => projects.createUser(fields))).rejects.toMatchObject({ failure: { status: 400 } });
    expect(vendor.calls()).toEqual([create]);
  });
});

describe.each([
  ['a creation', create, () => projects.createUser(fields)],
  ['a change', 'PUT /users/31', () => projects.updateUser('31', fields)],
])('the rejection of %s', (_, call, write) => {
  it('with 409 is a conflict about the e-mail', async () => {
    vendor.on(call, { status: 409, json: { error: { code: 'duplicate' } } });
    await expect(once(write)).rejects.toMatchObject({
      code: 'conflict',
      message: 'The property-project system already has a user with this e-mail.',
      faults: [{ pointer: '/email', detail: 'belongs to another user' }],
      cause: { failure: { status: 409, code: 'duplicate' } },
    });
  });

  it('with 422 names the fields', async () => {
    const wrong = { first_name: 'is too short', other_field: 'x'.repeat(400), crm_id: 'is unknown' };
    vendor.on(call, { status: 422, json: { error: { fields: wrong } } });
    await expect(once(write)).rejects.toMatchObject({
      code: 'invalid-input',
      message: 'The property-project system rejected this user.',
      faults: [
        { pointer: '/firstName', detail: 'is too short' },
        { pointer: '', detail: 'x'.repeat(300) },
        { pointer: '/crmId', detail: 'is unknown' },
      ],
      cause: { failure: { status: 422 } },
    });
  });

  it.each([{ error: {} }, { error: 'text' }, undefined])('with 422 may name none: %j', async json => {
    vendor.on(call, { status: 422, json });
    await expect(once(write)).rejects.toMatchObject({ code: 'invalid-input', faults: [] });
  });

  it('with another status stays an error of the system', async () => {
    vendor.on(call, { status: 415, json: { error: {} } });
    await expect(once(write)).rejects.toMatchObject({ code: 'upstream-failed', failure: { status: 415 } });
  });
});
