/** The employee-records connector: complete reads, rejections as faults of the input, no unnoticed duplicates. */
import { pino } from 'pino';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import employeeRecords, { type EmployeeRecords } from '../../../../../core/integrations/employee-records/system.ts';
import { createCallBudgets } from '../../../../../core/integrations/kit/call-budget.ts';
import { openIntegrationContext } from '../../../../../core/integrations/kit/context.ts';
import { UpstreamError } from '../../../../../core/integrations/kit/upstream-error.ts';
import type { ServiceError } from '../../../../../core/runtime/errors.ts';
import { useSandbox } from '../../../../support/sandbox.ts';
import { useTestDatabase } from '../../../../support/test-database.ts';

const logger = pino({ level: 'silent' });
const sandbox = useSandbox();
const { database } = await useTestDatabase('employee records');
let records: EmployeeRecords;

beforeAll(async () => {
  const budgets = createCallBudgets(database);
  records = employeeRecords.client(openIntegrationContext({ env: {}, sandboxUrl: sandbox.url, budgets, logger }));
});
afterEach(() => sandbox.control.reset('employee-records'));

const amal = {
  employeeNumber: 'MP-9001',
  firstName: 'Amal',
  lastName: 'Haddad',
  email: 'amal.haddad@meridianpalm.example',
  gender: 'Female',
  dateOfBirth: '1990-02-03',
  dateOfJoining: '2024-01-15',
  department: 'Leasing',
  crmId: '401',
};

const rejectionOf = async (done: Promise<unknown>): Promise<ServiceError> => {
  const error: unknown = await done.catch((thrown: unknown) => thrown);
  if (error instanceof Error && 'faults' in error) return error as ServiceError;
  throw new Error('the call was not rejected', { cause: error });
};

describe('all employees', () => {
  it('are read in pages, and are as many as the system counts', async () => {
    await sandbox.control.settings('employee-records', { employees: 1_250 });
    await sandbox.control.data('employee-records', 'employees', 'reset');
    const all = await records.all();
    expect(new Set(all.map(({ recordName }) => recordName)).size).toBe(1_250);
    expect((await sandbox.control.requests('employee-records')).total).toBe(4);
  });

  it('are an error when fewer arrive than the system counts', async () => {
    await sandbox.control.settings('employee-records', { hiddenEmployees: 1 });
    await expect(records.all()).rejects.toBeInstanceOf(UpstreamError);
  });

  it('have departments without the company suffix, and the record name in place of a missing number', async () => {
    const all = await records.all();
    expect(all.find(({ number }) => number === 'MP-1001')).toMatchObject({ department: 'Management', reportsTo: null });
    const unnumbered = all.filter(({ employeeNumber }) => employeeNumber === null);
    expect(unnumbered.length).toBeGreaterThan(0);
    expect(unnumbered.every(({ number, recordName }) => number === recordName)).toBe(true);
  });
});

describe('one employee', () => {
  it('is created, found by number, record name and e-mail in any case, changed and deleted', async () => {
    const { recordName } = await records.create(amal);
    const made = await records.find('MP-9001');
    expect(made).toMatchObject({ ...amal, recordName, number: 'MP-9001', company: 'Meridian Palm', status: 'Active' });
    expect(await records.find(recordName)).toEqual(made);
    expect(await records.findByEmail('Amal.Haddad@MeridianPalm.example')).toEqual([made]);
    expect(await records.update(recordName, { department: 'Finance', crmId: null })).toMatchObject({
      department: 'Finance',
      crmId: null,
      email: amal.email,
    });
    expect(await records.delete(recordName)).toBe(true);
    expect(await records.delete(recordName)).toBe(false);
    expect(await records.find('MP-9001')).toBeUndefined();
    expect(await records.update(recordName, { department: 'Finance' })).toBeUndefined();
  });

  it('with the same number in two records is a conflict', async () => {
    const one = await records.create(amal);
    const other = await records.create({ ...amal, firstName: 'Noor', email: null });
    const { code, message } = await rejectionOf(records.find('MP-9001'));
    expect(code).toBe('conflict');
    expect(message).toContain(`${one.recordName}, ${other.recordName}`);
  });

  it('with missing fields is rejected with a pointer to each field', async () => {
    const { code, faults } = await rejectionOf(records.create({ firstName: 'Amal' }));
    expect(code).toBe('invalid-input');
    expect(faults).toEqual(
      ['/gender', '/dateOfBirth', '/dateOfJoining'].map(pointer => ({ pointer, detail: 'must be given' })),
    );
  });

  it.each([
    [{ department: 'Nowhere', designation: 'Unknown' }, ['/department', '/designation']],
    [{ dateOfJoining: '1980-01-01' }, ['/dateOfJoining']],
    [{ status: 'Left' as const }, ['/relievingDate']],
    [{ email: 'invalid' }, ['/email']],
    [{ phone: 'ext. 12' }, ['/phone']],
  ])('with %j is rejected with pointers, without the vendor’s HTML', async (fields, pointers) => {
    const { code, faults, message } = await rejectionOf(records.create({ ...amal, ...fields }));
    expect(code).toBe('invalid-input');
    expect(faults.map(({ pointer }) => pointer)).toEqual(pointers);
    expect(JSON.stringify([message, faults])).not.toMatch(/<|frappe|Traceback/);
  });

  it('cannot be deleted while another reports to this one', async () => {
    const lead = await records.create(amal);
    const report = await records.create({
      ...amal,
      employeeNumber: 'MP-9002',
      email: null,
      reportsTo: lead.recordName,
    });
    const link = { doctype: 'Employee', name: report.recordName };
    expect(await records.linkedDocuments(lead.recordName)).toEqual([link]);
    expect(await rejectionOf(records.delete(lead.recordName))).toMatchObject({ code: 'conflict', linked: link });
    expect(await records.delete(report.recordName)).toBe(true);
    expect(await records.delete(lead.recordName)).toBe(true);
  });

  it('may have been created when the connection broke: it is found, and not created again', async () => {
    await sandbox.control.fault('employee-records', { fault: 'drop-after-commit', method: 'POST' });
    const error: unknown = await records.create(amal).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ maybeExecuted: true });
    expect(await records.findByEmail(amal.email)).toHaveLength(1);
  });
});

describe('departments', () => {
  it('are added once', async () => {
    await records.addDepartment('Data');
    await records.addDepartment('Data');
    expect((await records.departments()).filter(name => name === 'Data')).toEqual(['Data']);
    expect(await records.create({ ...amal, department: 'Data' })).toMatchObject({ department: 'Data' });
  });
});
