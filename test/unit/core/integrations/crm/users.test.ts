/** The CRM's users: pages, and matches in any spelling. */
import { describe, expect, it } from 'vitest';
import { openUsers } from '../../../../../core/integrations/crm/users.ts';
import { crmRest } from '../../../../support/crm-rest.ts';

const row = (ID: number, change: object = {}) => ({ ID: String(ID), ACTIVE: true, NAME: `N${ID}`, ...change });

/** A CRM with these users. */
function open(...rows: object[]) {
  const { rest, sent } = crmRest({
    'user.get': ({ start, FILTER: filter }) => {
      if (filter === undefined) {
        const from = Number(start);
        return { result: rows.slice(from, from + 50), total: rows.length };
      }
      const wanted = Object.entries(Object(filter));
      return {
        result: rows.filter(user =>
          wanted.every(([name, value]) => String(new Map(Object.entries(user)).get(name)) === String(value)),
        ),
      };
    },
  });
  return { users: openUsers(rest), sent };
}
const many = (count: number) => Array.from({ length: count }, (_, index) => row(index + 1));
const ids = (users: readonly { id: number }[]) => users.map(({ id }) => id);

describe('a user', () => {
  it('has our names', async () => {
    const { users } = open(
      row(7, {
        NAME: 'Sara',
        LAST_NAME: 'Haddad',
        EMAIL: 'sara@x.example',
        WORK_POSITION: 'Agent',
        ACTIVE: false,
        PERSONAL_MOBILE: '050',
        WORK_PHONE: '',
        PERSONAL_PHONE: 4,
        UF_DEPARTMENT: [1, '2'],
      }),
    );
    expect(await users.get(7)).toEqual({
      id: 7,
      firstName: 'Sara',
      lastName: 'Haddad',
      name: 'Sara Haddad',
      email: 'sara@x.example',
      phones: ['050', '4'],
      jobTitle: 'Agent',
      departmentIds: [1, 2],
      active: false,
    });
  });

  it.each([
    [{ NAME: 'Sara' }, 'Sara'],
    [{ NAME: '', LAST_NAME: 'Haddad' }, 'Haddad'],
    [{ NAME: '', EMAIL: 'sara@x.example' }, 'sara@x.example'],
    [{ NAME: null }, 'User 7'],
  ])('%j is named %s', async (change, name) => {
    expect(await open(row(7, { UF_DEPARTMENT: false, ...change })).users.get(7)).toMatchObject({
      name,
      departmentIds: [],
    });
  });

  it('is undefined when there is none', async () => expect(await open().users.get(7)).toBeUndefined());
});

describe('all users', () => {
  it('are read 50 a page, as many pages as probably exist in the first request', async () => {
    const { users, sent } = open(...many(120));
    expect(await users.all(120)).toHaveLength(120);
    expect(sent.map(({ parameters }) => parameters)).toEqual(
      [0, 50, 100].map(start => ({ sort: 'ID', order: 'ASC', start })),
    );
    expect(sent[0]).toMatchObject({ class: 'read', batch: 3 });
  });

  it('are read by ten pages where their number is unknown', async () => {
    const { users, sent } = open(...many(10));
    expect(await users.all()).toHaveLength(10);
    expect(sent).toHaveLength(10);
  });

  it('are read on when there are more, 50 pages a request', async () => {
    const { users, sent } = open(...many(2_601));
    expect(await users.all(1)).toHaveLength(2_601);
    expect(sent.map(({ batch }) => batch)).toEqual([1, ...Array(50).fill(50), 2, 2]);
    expect(sent.at(-1)?.parameters.start).toBe(2_600);
  });

  it('are not read on when their number is exactly that of the pages', async () => {
    const { users, sent } = open(...many(100));
    expect(await users.all(100)).toHaveLength(100);
    expect(sent).toHaveLength(2);
  });

  it('are given once, by id', async () => {
    const { users } = open(row(9), row(3), row(9, { NAME: 'New' }));
    const found = await users.all(3);
    expect(found.map(({ id, name }) => [id, name])).toEqual([
      [3, 'N3'],
      [9, 'New'],
    ]);
  });

  it('may be none', async () => expect(await open().users.all()).toEqual([]));
});

describe('the search by e-mail', () => {
  it('asks the CRM first', async () => {
    const { users, sent } = open(row(7, { EMAIL: 'Sara@x.example' }));
    expect(ids(await users.find({ email: ' Sara@x.example ' }))).toEqual([7]);
    expect(sent.map(({ parameters }) => parameters)).toEqual([{ FILTER: { EMAIL: 'Sara@x.example' } }]);
  });

  it('reads all users when the CRM finds none: it may compare the case', async () => {
    const { users, sent } = open(
      row(7, { EMAIL: 'Sara@x.example' }),
      row(8, { EMAIL: null }),
      row(9, { EMAIL: 'asara@x.example' }),
    );
    expect(ids(await users.find({ email: 'SARA@X.example' }))).toEqual([7]);
    expect(sent.length).toBeGreaterThan(1);
  });
});

it.each([
  ['haddad, SARA', [1, 2]],
  [' (Sara) -- Haddad! ', [1, 2]],
  ['Šara  Haddad', [1, 2]],
  ['Sara', []],
])('the search for the name %s finds %j: in any case, accents and order of words', async (name, found) => {
  const { users } = open(
    row(1, { NAME: 'Sara', LAST_NAME: 'Haddad' }),
    row(2, { NAME: 'Särà', LAST_NAME: 'HADDAD' }),
    row(3, { NAME: 'Sara', LAST_NAME: 'Haddadi' }),
  );
  expect(ids(await users.find({ name }))).toEqual(found);
});

describe('the search by phone', () => {
  it.each([
    ['+971 50 123 4567', [1, 2]],
    ['0501234567', [1, 2]],
    ['1234567', [3]],
    ['123456', []],
    ['', []],
  ])('for %j finds %j: by the last nine digits', async (phone, found) => {
    const { users } = open(
      row(1, { PERSONAL_MOBILE: '00971501234567' }),
      row(2, { PERSONAL_MOBILE: '04 000 0000', WORK_PHONE: '(050) 123-4567' }),
      row(3, { PERSONAL_PHONE: '123 4567' }),
      row(4, { PERSONAL_PHONE: '123456' }),
      row(5),
    );
    expect(ids(await users.find({ phone }))).toEqual(found);
  });
});
