/** Employees, from ERPNext's document to our form and back. */
import { describe, expect, it } from 'vitest';
import { EmployeeRecordsConfig } from '../../../../../core/integrations/employee-records/config.ts';
import { employeeWire, recordPath } from '../../../../../core/integrations/employee-records/wire.ts';
import { readConfig } from '../../../../../core/runtime/config.ts';

const wireWith = (env: Record<string, string> = {}) => employeeWire(readConfig(EmployeeRecordsConfig, env));
const wire = wireWith();
const doc = { name: 'E-1', status: 'Active' };
const read = (change: object, env: Record<string, string> = {}) =>
  wireWith(env).employee.parse({ data: { ...doc, ...change } }).data;

describe('an employee as read', () => {
  it('has our names', () =>
    expect(
      read(
        {
          employee_number: 1042,
          first_name: ' Sara ',
          last_name: 'Haddad',
          company_email: 'sara@x.example',
          personal_email: '',
          cell_number: '050',
          gender: 'Female',
          date_of_birth: '1990-01-31',
          branch: 'Dubai',
          date_of_joining: '2020-01-31',
          relieving_date: null,
          company: 'Meridian',
          department: 'Leasing - MP',
          designation: 'Agent',
          reports_to: 'E-2',
          modified: '2026-01-31',
          crm: 17,
          dir: 'd',
        },
        {
          EMPLOYEE_RECORDS_CRM_ID_FIELD: 'crm',
          EMPLOYEE_RECORDS_DIRECTORY_ID_FIELD: 'dir',
          EMPLOYEE_RECORDS_COMPANY_ABBREVIATION: 'MP',
        },
      ),
    ).toEqual({
      recordName: 'E-1',
      number: '1042',
      employeeNumber: '1042',
      firstName: 'Sara',
      lastName: 'Haddad',
      email: 'sara@x.example',
      personalEmail: null,
      phone: '050',
      gender: 'Female',
      dateOfBirth: '1990-01-31',
      dateOfJoining: '2020-01-31',
      relievingDate: null,
      company: 'Meridian',
      department: 'Leasing',
      designation: 'Agent',
      branch: 'Dubai',
      status: 'Active',
      reportsTo: 'E-2',
      crmId: '17',
      directoryId: 'd',
      modifiedAt: '2026-01-31',
    }));

  it('may have only a name and a status', () =>
    expect(read({})).toMatchObject({
      recordName: 'E-1',
      number: 'E-1',
      firstName: '',
      modifiedAt: '',
      crmId: null,
      department: null,
    }));

  it.each([
    [{ name: null }, 'name', 'must be a text'],
    [{ name: ' ' }, 'name', 'must be a text'],
    [{ company_email: {} }, 'company_email', 'must be a text or a number'],
    [{ status: 'Sick' }, 'status', 'must be one of Active, Inactive, Suspended, Left'],
    [{ status: undefined }, 'status', 'must be one of Active, Inactive, Suspended, Left'],
  ])('is not %j', (change, field, message) =>
    expect(() => read(change)).toThrow(
      expect.objectContaining({ issues: [expect.objectContaining({ path: ['data', field], message })] }),
    ),
  );

  it.each([
    ['Leasing - MPX', 'Leasing - MPX'],
    ['Leasing - MP', 'Leasing'],
    ['MP', 'MP'],
  ])('of the department %s is in %s', (department, ours) =>
    expect(read({ department }, { EMPLOYEE_RECORDS_COMPANY_ABBREVIATION: 'MP' })).toMatchObject({ department: ours }),
  );

  it('keeps the department where no abbreviation is set', () =>
    expect(read({ department: 'Leasing - MP' })).toMatchObject({ department: 'Leasing - MP' }));
});

describe('an employee as written', () => {
  it('has only the fields that are given and that the records have', () => {
    expect(wire.toDoc({ firstName: 'Sara', lastName: undefined, crmId: '17', department: 'Leasing' })).toEqual({
      first_name: 'Sara',
      department: 'Leasing',
    });
    const withAbbreviation = wireWith({ EMPLOYEE_RECORDS_COMPANY_ABBREVIATION: 'MP' });
    expect(withAbbreviation.toDoc({ department: 'Leasing' })).toEqual({ department: 'Leasing - MP' });
    expect(withAbbreviation.toDoc({ department: null, phone: null })).toEqual({ department: null, cell_number: null });
  });
});

describe('a field in an error', () => {
  it.each([
    ['Mobile', 'phone'],
    ['cell_number', 'phone'],
    ['crm', 'crmId'],
    ['Nothing', undefined],
    ['mobile', undefined],
  ])('%s is %s', (name, field) => expect(wireWith({ EMPLOYEE_RECORDS_CRM_ID_FIELD: 'crm' }).fieldOf(name)).toBe(field));

  it.each([
    ['Date of Joining must be greater than Date of Birth', 'dateOfJoining'],
    ['the RELIEVING DATE is before the date of joining', 'relievingDate'],
    ['Something is wrong', undefined],
  ])('of “%s” is %s', (message, field) => expect(wire.fieldNamedIn(message)).toBe(field));
});

it('the fields of a list are those that are read', () =>
  expect(wireWith({ EMPLOYEE_RECORDS_DIRECTORY_ID_FIELD: 'dir' }).fieldNames).toEqual(
    expect.arrayContaining(['name', 'modified', 'first_name', 'reports_to', 'dir']),
  ));

it('the path of a record is encoded', () => expect(recordPath('A/B C')).toBe('/api/resource/Employee/A%2FB%20C'));
