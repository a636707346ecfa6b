/** Joins persons across three systems, merges their fields by precedence, and plans the record updates. */
import { describe, expect, it } from 'vitest';
import { planEmployees } from '../../../../workers/employee-resync/plan.ts';
import { crmUser, directoryUser, employeeRecord, planOf } from '../../../support/employees.ts';

const changeOf = (planned: ReturnType<typeof planOf>, recordName: string) =>
  planned.plan.updates.find(update => update.recordName === recordName)?.change;
const warningsFor = (planned: ReturnType<typeof planOf>, number: string) =>
  planned.plan.doubts.filter(({ key }) => key === number);

describe('a person', () => {
  it('is found in the directory by the id in the record, even if all else has changed', () => {
    const { plan } = planOf({
      records: [employeeRecord(1, { directoryId: 'user-9', email: null })],
      directory: [directoryUser(9, { employeeNumber: null, email: 'new.name@example.com' })],
    });
    expect(plan.list).toMatchObject([{ number: 'MP-1', directoryId: 'user-9', email: 'new.name@example.com' }]);
  });

  it('without an e-mail is found by number, and gets the directory’s e-mail', () => {
    const planned = planOf({ records: [employeeRecord(1, { email: null })], directory: [directoryUser(1)] });
    expect(changeOf(planned, 'HR-EMP-00001')).toMatchObject({ email: 'person.1@example.com' });
  });

  it('without an e-mail and a number keeps the record’s fields, with a row in the report', () => {
    const planned = planOf({
      records: [employeeRecord(1, { email: null, employeeNumber: null })],
      directory: [directoryUser(2)],
    });
    expect(planned.plan.list[0]).toMatchObject({ number: 'HR-EMP-00001', email: null, directoryId: null });
    expect(planned.plan.updates).toEqual([]);
    expect(warningsFor(planned, 'HR-EMP-00001')).toMatchObject([{ outcome: 'skipped' }]);
  });

  it('is found by e-mail in another letter case, which is not written as a change', () => {
    const planned = planOf({
      records: [
        employeeRecord(1, { employeeNumber: null, email: 'Person.1@Example.com', directoryId: 'user-1', crmId: '1' }),
      ],
      directory: [directoryUser(1, { employeeNumber: null })],
      crm: [crmUser(1, { email: 'PERSON.1@example.com' })],
    });
    expect(planned.plan.list).toMatchObject([{ email: 'person.1@example.com', crmId: 1, directoryId: 'user-1' }]);
    expect(planned.plan.updates).toEqual([]);
  });

  it('without a number in the record gets the directory’s, unless another record has it', () => {
    const planned = planOf({
      records: [
        employeeRecord(1, { employeeNumber: null }),
        employeeRecord(2, { employeeNumber: null }),
        employeeRecord(7, { directoryId: 'seven' }),
      ],
      directory: [
        directoryUser(1),
        directoryUser(2, { employeeNumber: 'MP-7' }),
        directoryUser(7, { id: 'seven', employeeNumber: 'x' }),
      ],
    });
    expect(changeOf(planned, 'HR-EMP-00001')).toMatchObject({ employeeNumber: 'MP-1' });
    expect(changeOf(planned, 'HR-EMP-00002')).not.toHaveProperty('employeeNumber');
    expect(planned.plan.list.map(({ number }) => number)).toEqual(['HR-EMP-00002', 'MP-1', 'MP-7']);
  });

  it('is not found by an e-mail shared with another employee; the report has both', () => {
    const email = 'shared@example.com';
    const planned = planOf({
      records: [
        employeeRecord(1, { email }),
        employeeRecord(2, { email }),
        employeeRecord(3, { email, employeeNumber: null }),
      ],
      directory: [directoryUser(1), directoryUser(2, { email })],
    });
    expect(planned.plan.list).toMatchObject([
      { number: 'HR-EMP-00003', directoryId: null, email },
      { number: 'MP-1', directoryId: 'user-1', email: 'person.1@example.com' },
      { number: 'MP-2', directoryId: 'user-2', email },
    ]);
    for (const number of ['MP-1', 'MP-2', 'HR-EMP-00003'])
      expect(warningsFor(planned, number)).toContainEqual(expect.objectContaining({ outcome: 'ambiguous' }));
  });

  it('who returned has a current record, which gets the user, and a closed one', () => {
    const email = 'back@example.com';
    const closed = employeeRecord(1, { email, status: 'Left', employeeNumber: 'MP-OLD', department: 'Finance' });
    const planned = planOf({
      records: [closed, employeeRecord(2, { email, directoryId: null })],
      directory: [directoryUser(2, { email, employeeNumber: null })],
      crm: [crmUser(2, { email })],
    });
    expect(planned.plan.list).toMatchObject([
      { number: 'MP-2', status: 'Active', directoryId: 'user-2', crmId: 2 },
      { number: 'MP-OLD', status: 'Left', directoryId: null, crmId: null, department: 'Finance' },
    ]);
    expect(changeOf(planned, 'HR-EMP-00001')).toBeUndefined();
    expect(planned.plan.doubts.filter(({ outcome }) => outcome === 'ambiguous')).toEqual([]);
  });

  it('stays Left when they can still sign in, with a conflict in the report', () => {
    const planned = planOf({ records: [employeeRecord(1, { status: 'Left' })], directory: [directoryUser(1)] });
    expect(planned.plan.list).toMatchObject([{ status: 'Left' }]);
    expect(planned.plan.updates).toEqual([]);
    expect(warningsFor(planned, 'MP-1')).toEqual([
      expect.objectContaining({ outcome: 'conflict', reason: expect.stringMatching(/can still sign in/) }),
    ]);
  });

  it('without a record is listed if they can sign in and have a number; service accounts are not', () => {
    const { plan } = planOf({
      directory: [
        directoryUser(1, { managerId: 'user-2' }),
        directoryUser(2),
        directoryUser(3, { state: 'SUSPENDED' }),
        directoryUser(4, { employeeNumber: null }),
      ],
    });
    expect(plan.list).toMatchObject([
      { number: 'MP-1', recordName: null, reportsTo: 'MP-2' },
      { number: 'MP-2', recordName: null, reportsTo: null },
    ]);
    expect(plan.skippedUsers).toBe(2);
  });

  it('is listed by record name if two records have the same number', () => {
    const planned = planOf({ records: [employeeRecord(1), employeeRecord(2, { employeeNumber: 'MP-1' })] });
    expect(planned.plan.list.map(({ number }) => number)).toEqual(['HR-EMP-00001', 'HR-EMP-00002']);
    expect(warningsFor(planned, 'HR-EMP-00002')[0]).toMatchObject({ outcome: 'ambiguous' });
  });

  it('with two candidate CRM users is linked to none; a dismissed candidate does not count', () => {
    const email = 'person.1@example.com';
    const crm = [crmUser(1), crmUser(2, { email }), crmUser(3, { email: 'person.2@example.com', active: false })];
    const planned = planOf({
      records: [employeeRecord(1), employeeRecord(2)],
      crm: [...crm, crmUser(4, { email: 'person.2@example.com' })],
    });
    expect(planned.plan.list).toMatchObject([{ crmId: null }, { crmId: 4 }]);
    expect(warningsFor(planned, 'MP-1')).toContainEqual(expect.objectContaining({ outcome: 'ambiguous' }));
  });
});

describe('fields with different values in the systems', () => {
  const planned = planOf({
    records: [
      employeeRecord(1, { department: 'Finance', phone: '050 111 1111', lastName: 'Haddad', status: 'Active' }),
    ],
    directory: [
      directoryUser(1, {
        department: 'Marketing',
        state: 'SUSPENDED',
        lastName: 'Rahman',
        phones: [{ type: 'm', number: '+971502222222' }],
      }),
    ],
    crm: [crmUser(1, { phones: ['0503333333'] })],
  });

  it('take the owner’s value, which is written into the records where the precedence table requires it', () => {
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

  it('are conflicts in the report, which quotes no personal data', () => {
    const conflicts = planned.plan.doubts.filter(({ outcome }) => outcome === 'conflict');
    expect(conflicts.map(({ reason }) => reason.split(':')[0]).sort()).toEqual([
      'department',
      'lastName',
      'phone',
      'status',
    ]);
    expect(conflicts[1]?.reason).toContain('phone: the CRM takes precedence over the identity directory and');
    expect(JSON.stringify(conflicts)).not.toMatch(/Rahman|Haddad|50\d{7}/);
    expect(JSON.stringify(conflicts)).toContain('takes precedence over the employee records (Finance)');
  });

  it('keep the records’ values if the owner has none', () => {
    const silent = planOf({
      records: [employeeRecord(1, { directoryId: 'user-1' })],
      directory: [directoryUser(1, { department: null, jobTitle: null, email: null, state: 'STAGED' })],
    });
    expect(silent.plan.list).toMatchObject([
      { department: 'Leasing', email: 'person.1@example.com', status: 'Active' },
    ]);
    expect(silent.plan.updates).toEqual([]);
  });
});

it('plans no changes after a plan was applied', () => {
  const sources = {
    records: [employeeRecord(1, { crmId: '1', directoryId: 'user-1', phone: '00971-501234567' })],
    directory: [directoryUser(1)],
    crm: [crmUser(1, { phones: ['050 123 4567'] })],
  };
  const { plan } = planOf(sources);
  expect(plan).toMatchObject({ created: ['MP-1'], updates: [] });
  expect(planOf(sources, plan.list).plan).toMatchObject({ matched: 1, created: [], updated: [], deleted: [] });
});

it('lists ids that the records cannot store, without writing them', () => {
  const sources = { records: [employeeRecord(1)], directory: [directoryUser(1)], crm: [crmUser(1)] };
  const { plan } = planEmployees(sources, { asOf: new Date(), known: [], isStored: () => false });
  expect(plan.updates).toEqual([]);
  expect(plan.list).toMatchObject([{ crmId: 1, directoryId: 'user-1' }]);
});
