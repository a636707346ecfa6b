/** Users, groups and user-state jobs, from JumpCloud's form to ours. */
import { describe, expect, it } from 'vitest';
import {
  DirectoryGroup,
  DirectoryUser,
  GroupsAnswer,
  ParentsAnswer,
  StateJobsAnswer,
  system,
  UserAnswer,
  UsersAnswer,
} from '../../../../../core/integrations/directory/wire.ts';
import { everyRow } from '../../../../../core/integrations/kit/read-rows.ts';

const row = { _id: 'a', state: 'STAGED' };

describe('a user', () => {
  it('has our names', () =>
    expect(
      UserAnswer.parse({
        ...row,
        username: 'sara.haddad',
        email: 'Sara@Example.com',
        firstname: 'Sara',
        lastname: 'Haddad',
        displayname: 'Sara Haddad',
        employeeIdentifier: 'MP-1',
        employeeType: 'Full-time',
        department: 'Leasing',
        jobTitle: 'Consultant',
        company: 'Meridian',
        location: 'Dubai',
        manager: 'm',
        alternateEmail: 'b@x.example',
        account_locked: true,
        created: '2024-03-01T05:12:40.000Z',
        phoneNumbers: [{ type: 'mobile', number: '050 123 4567' }, { number: 'ext. 12' }, { type: 'home', number: '' }],
      }),
    ).toEqual({
      id: 'a',
      state: 'STAGED',
      username: 'sara.haddad',
      email: 'sara@example.com',
      firstName: 'Sara',
      lastName: 'Haddad',
      displayName: 'Sara Haddad',
      employeeNumber: 'MP-1',
      employeeType: 'Full-time',
      department: 'Leasing',
      jobTitle: 'Consultant',
      company: 'Meridian',
      office: 'Dubai',
      managerId: 'm',
      alternateEmail: 'b@x.example',
      accountLocked: true,
      createdAt: '2024-03-01T05:12:40.000Z',
      phones: [
        { type: 'mobile', number: '+971501234567' },
        { type: 'other', number: 'ext. 12' },
      ],
    }));

  it('has null for what the directory leaves out or empties', () =>
    expect(UserAnswer.parse({ ...row, firstname: ' ', email: '' })).toMatchObject({
      firstName: null,
      email: null,
      lastName: null,
      phones: [],
      accountLocked: false,
    }));

  it.each([
    [{ state: 'SUSPENDED', suspended: false }, 'SUSPENDED'],
    [{ suspended: true, activated: true }, 'SUSPENDED'],
    [{ suspended: false, activated: false }, 'STAGED'],
    [{ suspended: false, activated: true }, 'ACTIVATED'],
    [{}, 'ACTIVATED'],
  ])('with %j is %s', (given, state) => expect(UserAnswer.parse({ _id: 'a', ...given })).toMatchObject({ state }));

  it.each([{ _id: 7 }, { ...row, phoneNumbers: 'none' }])('is not %j', given =>
    expect(UserAnswer.safeParse(given).success).toBe(false),
  );

  it('in an unknown state can be read alone, by its flags, and is left out of lists', () => {
    expect(UserAnswer.parse({ ...row, state: 'LOCKED', suspended: true })).toMatchObject({ state: 'SUSPENDED' });
    const list = UsersAnswer.parse({ totalCount: 1, results: [{ ...row, state: 'LOCKED', suspended: true }] });
    expect(list.results).toEqual([{ id: 'a', bad: expect.objectContaining({ record: 'user', field: 'state' }) }]);
  });
});

it('a page of users has a total', () => {
  expect(UsersAnswer.parse({ totalCount: 1, results: [row] }).results[0]).toMatchObject({ id: 'a', row: { id: 'a' } });
  expect(UsersAnswer.safeParse({ results: [row] }).success).toBe(false);
});

it('a group has its membership', () => {
  const group = { id: 'g', name: 'Staff', membershipMethod: 'STATIC', description: ' All ' };
  const staff = { id: 'g', name: 'Staff', membership: 'STATIC', description: 'All' };
  expect(everyRow(system, GroupsAnswer.parse([group]))).toEqual([staff]);
  expect(() => everyRow(system, GroupsAnswer.parse([{ id: 'g' }]))).toThrow('directory group g: name');
});

it('a parent has a type', () =>
  expect(() => everyRow(system, ParentsAnswer.parse([{ id: 'g' }]))).toThrow('directory membership g: type'));

it('users and groups have examples with all of their members', () => {
  for (const schema of [DirectoryUser, DirectoryGroup]) {
    const examples = Object(schema.meta()).examples;
    expect(examples).toEqual([schema.parse(examples[0])]);
  }
});

describe('a user-state job', () => {
  const job = { scheduledJobId: 'j', scheduledDate: '2026-01-31T08:00:00Z', state: 'SUSPENDED', systemUserId: 'u' };

  it('has our names', () =>
    expect(everyRow(system, StateJobsAnswer.parse([job]))).toEqual([
      { id: 'j', userId: 'u', state: 'SUSPENDED', startDate: new Date('2026-01-31T08:00:00Z') },
    ]));

  it.each(['scheduledJobId', 'scheduledDate', 'state', 'systemUserId'])('must have the member %s', member =>
    expect(() => everyRow(system, StateJobsAnswer.parse([{ ...job, [member]: undefined }]))).toThrow(member),
  );
});
