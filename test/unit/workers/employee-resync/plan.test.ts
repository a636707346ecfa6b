/** Who is one person in three systems, whose word counts, and what the records are told. */
import { describe, expect, it } from 'vitest';
import { planEmployees } from '../../../../workers/employee-resync/plan.ts';
import { aCrmUser, aRecord, aUser, planOf } from '../../../support/employees.ts';

const changeOf = (planned: ReturnType<typeof planOf>, recordName: string) =>
  planned.plan.updates.find(update => update.recordName === recordName)?.change;
const doubtsAbout = (planned: ReturnType<typeof planOf>, number: string) =>
  planned.plan.doubts.filter(({ key }) => key === number);

describe('a person', () => {
  it('is found in the directory by the id that the records keep, whatever else has changed', () => {
    const { plan } = planOf({
      records: [aRecord(1, { directoryId: 'user-9', email: null })],
      directory: [aUser(9, { employeeNumber: null, email: 'new.name@example.com' })],
    });
    expect(plan.list).toMatchObject([
      { number: 'MP-1', directoryId: 'user-9', email: 'new.name@example.com' },
    ]);
  });

  it('without an e-mail is found by the number, and is given the directory’s e-mail', () => {
    const planned = planOf({ records: [aRecord(1, { email: null })], directory: [aUser(1)] });
    expect(changeOf(planned, 'HR-EMP-00001')).toMatchObject({ email: 'person.1@example.com' });
  });

  it('without an e-mail or a number anywhere stays as the records have it, and the report says so', () => {
    const planned = planOf({
      records: [aRecord(1, { email: null, employeeNumber: null })],
      directory: [aUser(2)],
    });
    expect(planned.plan.list[0]).toMatchObject({ number: 'HR-EMP-00001', email: null, directoryId: null });
    expect(planned.plan.updates).toEqual([]);
    expect(doubtsAbout(planned, 'HR-EMP-00001')).toMatchObject([{ outcome: 'skipped' }]);
  });

  it('is found by an e-mail in other letter case, which is no difference to be written', () => {
    const planned = planOf({
      records: [
        aRecord(1, {
          employeeNumber: null,
          email: 'Person.1@Example.com',
          directoryId: 'user-1',
          crmId: '1',
        }),
      ],
      directory: [aUser(1, { employeeNumber: null })],
      crm: [aCrmUser(1, { email: 'PERSON.1@example.com' })],
    });
    expect(planned.plan.list).toMatchObject([
      { email: 'person.1@example.com', crmId: 1, directoryId: 'user-1' },
    ]);
    expect(planned.plan.updates).toEqual([]);
  });

  it('whose record has no number is given the directory’s, unless another record has it', () => {
    const planned = planOf({
      records: [
        aRecord(1, { employeeNumber: null }),
        aRecord(2, { employeeNumber: null }),
        aRecord(7, { directoryId: 'seven' }),
      ],
      directory: [
        aUser(1),
        aUser(2, { employeeNumber: 'MP-7' }),
        aUser(7, { id: 'seven', employeeNumber: 'x' }),
      ],
    });
    expect(changeOf(planned, 'HR-EMP-00001')).toMatchObject({ employeeNumber: 'MP-1' });
    expect(changeOf(planned, 'HR-EMP-00002')).not.toHaveProperty('employeeNumber');
    expect(planned.plan.list.map(({ number }) => number)).toEqual(['HR-EMP-00002', 'MP-1', 'MP-7']);
  });

  it('who shares an e-mail with a colleague is never found by it, and both are in the report', () => {
    const email = 'shared@example.com';
    const planned = planOf({
      records: [aRecord(1, { email }), aRecord(2, { email }), aRecord(3, { email, employeeNumber: null })],
      directory: [aUser(1), aUser(2, { email })],
    });
    expect(planned.plan.list).toMatchObject([
      { number: 'HR-EMP-00003', directoryId: null, email },
      { number: 'MP-1', directoryId: 'user-1', email: 'person.1@example.com' },
      { number: 'MP-2', directoryId: 'user-2', email },
    ]);
    for (const number of ['MP-1', 'MP-2', 'HR-EMP-00003'])
      expect(doubtsAbout(planned, number)).toContainEqual(expect.objectContaining({ outcome: 'ambiguous' }));
  });

  it('who came back is one employee and a closed file: the user belongs to the time that lasts', () => {
    const email = 'back@example.com';
    const closed = aRecord(1, { email, status: 'Left', employeeNumber: 'MP-OLD', department: 'Finance' });
    const planned = planOf({
      records: [closed, aRecord(2, { email, directoryId: null })],
      directory: [aUser(2, { email, employeeNumber: null })],
      crm: [aCrmUser(2, { email })],
    });
    expect(planned.plan.list).toMatchObject([
      { number: 'MP-2', status: 'Active', directoryId: 'user-2', crmId: 2 },
      { number: 'MP-OLD', status: 'Left', directoryId: null, crmId: null, department: 'Finance' },
    ]);
    expect(changeOf(planned, 'HR-EMP-00001')).toBeUndefined();
    expect(planned.plan.doubts.filter(({ outcome }) => outcome === 'ambiguous')).toEqual([]);
  });

  it('who has left and can still sign in stays left, and the report warns', () => {
    const planned = planOf({ records: [aRecord(1, { status: 'Left' })], directory: [aUser(1)] });
    expect(planned.plan.list).toMatchObject([{ status: 'Left' }]);
    expect(planned.plan.updates).toEqual([]);
    expect(doubtsAbout(planned, 'MP-1')).toEqual([
      expect.objectContaining({
        outcome: 'conflict',
        reason: expect.stringMatching(/can still sign in/),
      }),
    ]);
  });

  it('without a record is listed when they can sign in and have a number; machines are not', () => {
    const { plan } = planOf({
      directory: [
        aUser(1, { managerId: 'user-2' }),
        aUser(2),
        aUser(3, { state: 'SUSPENDED' }),
        aUser(4, { employeeNumber: null }),
      ],
    });
    expect(plan.list).toMatchObject([
      { number: 'MP-1', recordName: null, reportsTo: 'MP-2' },
      { number: 'MP-2', recordName: null, reportsTo: null },
    ]);
    expect(plan.skippedUsers).toBe(2);
  });

  it('whose number two records have goes by the records’ names', () => {
    const planned = planOf({ records: [aRecord(1), aRecord(2, { employeeNumber: 'MP-1' })] });
    expect(planned.plan.list.map(({ number }) => number)).toEqual(['HR-EMP-00001', 'HR-EMP-00002']);
    expect(doubtsAbout(planned, 'HR-EMP-00002')[0]).toMatchObject({ outcome: 'ambiguous' });
  });

  it('whom two users of the CRM could be is linked to none; one that was dismissed does not count', () => {
    const email = 'person.1@example.com';
    const crm = [
      aCrmUser(1),
      aCrmUser(2, { email }),
      aCrmUser(3, { email: 'person.2@example.com', active: false }),
    ];
    const planned = planOf({
      records: [aRecord(1), aRecord(2)],
      crm: [...crm, aCrmUser(4, { email: 'person.2@example.com' })],
    });
    expect(planned.plan.list).toMatchObject([{ crmId: null }, { crmId: 4 }]);
    expect(doubtsAbout(planned, 'MP-1')).toContainEqual(expect.objectContaining({ outcome: 'ambiguous' }));
  });
});

describe('of fields that systems tell differently', () => {
  const planned = planOf({
    records: [
      aRecord(1, { department: 'Finance', phone: '050 111 1111', lastName: 'Haddad', status: 'Active' }),
    ],
    directory: [
      aUser(1, {
        department: 'Marketing',
        state: 'SUSPENDED',
        lastName: 'Rahman',
        phones: [{ type: 'm', number: '+971502222222' }],
      }),
    ],
    crm: [aCrmUser(1, { phones: ['0503333333'] })],
  });

  it('the owner’s word counts, and is written into the records where the table says so', () => {
    expect(planned.plan.list).toMatchObject([
      { department: 'Marketing', status: 'Suspended', phone: '+971503333333', lastName: 'Haddad' },
    ]);
    expect(changeOf(planned, 'HR-EMP-00001')).toEqual({
      department: 'Marketing',
      status: 'Suspended',
      phone: '+971503333333',
      crmId: '1',
      directoryId: 'user-1',
    });
    expect(planned.overwritten).toBe(1);
  });

  it('each is a conflict in the report, which quotes nothing that tells who it is', () => {
    const conflicts = planned.plan.doubts.filter(({ outcome }) => outcome === 'conflict');
    expect(conflicts.map(({ reason }) => reason.split(':')[0]).sort()).toEqual([
      'department',
      'lastName',
      'phone',
      'status',
    ]);
    expect(conflicts[1]?.reason).toContain(
      'phone: the word of the CRM counts, not that of the identity directory or',
    );
    expect(JSON.stringify(conflicts)).not.toMatch(/Rahman|Haddad|50\d{7}/);
    expect(JSON.stringify(conflicts)).toContain('not that of the employee records (Finance)');
  });

  it('an owner who says nothing empties nothing', () => {
    const silent = planOf({
      records: [aRecord(1, { directoryId: 'user-1' })],
      directory: [aUser(1, { department: null, jobTitle: null, email: null, state: 'STAGED' })],
    });
    expect(silent.plan.list).toMatchObject([
      { department: 'Leasing', email: 'person.1@example.com', status: 'Active' },
    ]);
    expect(silent.plan.updates).toEqual([]);
  });
});

it('planning again what was carried out changes nothing', () => {
  const sources = {
    records: [aRecord(1, { crmId: '1', directoryId: 'user-1', phone: '00971-501234567' })],
    directory: [aUser(1)],
    crm: [aCrmUser(1, { phones: ['050 123 4567'] })],
  };
  const { plan } = planOf(sources);
  expect(plan).toMatchObject({ created: ['MP-1'], updates: [] });
  expect(planOf(sources, plan.list).plan).toMatchObject({
    matched: 1,
    created: [],
    updated: [],
    deleted: [],
  });
});

it('ids that the records have no place for are not sent there, and listed all the same', () => {
  const sources = { records: [aRecord(1)], directory: [aUser(1)], crm: [aCrmUser(1)] };
  const { plan } = planEmployees(sources, { asOf: new Date(), known: [], keeps: () => false });
  expect(plan.updates).toEqual([]);
  expect(plan.list).toMatchObject([{ crmId: 1, directoryId: 'user-1' }]);
});
