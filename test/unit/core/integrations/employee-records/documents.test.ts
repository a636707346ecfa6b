/** Whole documents of employees, and the documents that they refer to. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { EmployeeRecords } from '../../../../../core/integrations/employee-records/system.ts';
import employeeRecords from '../../../../../core/integrations/employee-records/system.ts';
import { once, openClient, useVendor } from '../../../../support/vendor.ts';

const path = '/api/resource/Employee';
const linkedWith = 'GET /api/method/frappe.desk.form.linked_with.get';

const vendor = await useVendor();
let records: EmployeeRecords;

beforeEach(() => {
  records = openClient(employeeRecords, {
    EMPLOYEE_RECORDS_URL: vendor.url,
    EMPLOYEE_RECORDS_COMPANY: 'Meridian Palm',
    EMPLOYEE_RECORDS_COMPANY_ABBREVIATION: 'MP',
  });
});

const doc = { name: 'E-1', status: 'Active', first_name: 'Sara' };

describe('a document', () => {
  it('is read whole; undefined when there is none', async () => {
    vendor.on(
      `GET ${path}/E-1`,
      { json: { data: { ...doc, education: [{ level: 'MA' }] } } },
      { status: 404, json: {} },
    );
    expect(await once(() => records.document('E-1'))).toEqual({ ...doc, education: [{ level: 'MA' }] });
    expect(await once(() => records.document('E-1'))).toBeUndefined();
  });

  it('is converted to an employee', () =>
    expect(records.readDocument({ ...doc, department: 'Leasing - MP' })).toMatchObject({
      recordName: 'E-1',
      firstName: 'Sara',
      department: 'Leasing',
    }));

  const written = {
    ...doc,
    owner: 'admin',
    creation: 'x',
    modified: 'x',
    modified_by: 'x',
    docstatus: 0,
    idx: 1,
    lft: 1,
    rgt: 2,
    doctype: 'Employee',
    employee_name: 'Sara Haddad',
    old_parent: '',
    reports_to: 'E-OLD',
    notice_number_of_days: 30,
    education: [{ name: 'row', parent: 'E-1', parentfield: 'education', parenttype: 'Employee', idx: 1, level: 'MA' }],
    tags: ['a', null],
  };
  const sent = {
    status: 'Active',
    first_name: 'Sara',
    notice_number_of_days: 30,
    education: [{ level: 'MA' }],
    tags: ['a', null],
  };

  it('becomes a new record without the members that the system generates', async () => {
    vendor.on(`POST ${path}`, { json: { data: { ...doc, name: 'E-2' } } });
    expect(await once(() => records.createFromDocument(written, 'E-9'))).toBe('E-2');
    expect(vendor.received[0]?.body).toEqual({ ...sent, reports_to: 'E-9' });
  });

  it('is written to its record; false when there is none', async () => {
    vendor.on(`PUT ${path}/E-1`, { json: { data: doc } }, { status: 404, json: {} });
    expect(await once(() => records.replaceByDocument('E-1', written, null))).toBe(true);
    expect(vendor.received[0]?.body).toEqual({ ...sent, reports_to: null });
    expect(await once(() => records.replaceByDocument('E-1', written, null))).toBe(false);
  });

  it.each<[string, string, () => Promise<unknown>]>([
    ['POST', path, () => records.createFromDocument(doc, null)],
    ['PUT', `${path}/E-1`, () => records.replaceByDocument('E-1', doc, null)],
  ])('that is rejected names the fields: %s %s', async (method, place, write) => {
    const exception = 'frappe.exceptions.MandatoryError: [Employee, E-1]: gender';
    vendor.on(`${method} ${place}`, { status: 417, json: { exc_type: 'MandatoryError', exception } });
    await expect(once(write)).rejects.toMatchObject({ faults: [{ pointer: '/gender', detail: 'must be given' }] });
  });
});

describe('the documents that link to an employee', () => {
  it('are those that prevent its deletion', async () => {
    const message = { Attendance: [{ name: 'A-1' }, { name: 7 }], Comment: [{ name: 'C-1' }], File: [{ name: 'F' }] };
    vendor.on(linkedWith, { json: { message } });
    expect(await once(() => records.linkedDocuments('E-1'))).toEqual([
      { doctype: 'Attendance', name: 'A-1' },
      { doctype: 'Attendance', name: '7' },
    ]);
    expect(vendor.received[0]?.query).toEqual({ doctype: 'Employee', docname: 'E-1' });
  });

  it('are none when there is no such employee', async () => {
    vendor.on(linkedWith, { status: 404, json: {} });
    expect(await once(() => records.linkedDocuments('E-1'))).toEqual([]);
  });
});

describe('departments, designations and companies', () => {
  it.each([
    ['Department', () => records.departments(), ['Leasing', 'All Departments']],
    ['Designation', () => records.designations(), ['Leasing - MP', 'All Departments']],
    ['Company', () => records.companies(), ['Leasing - MP', 'All Departments']],
  ])('are read by name, all of them: %s', async (doctype, read, expected) => {
    vendor.on(`GET /api/resource/${doctype}`, {
      json: { data: [{ name: 'Leasing - MP' }, { name: 'All Departments' }] },
    });
    expect(await once(read)).toEqual(expected);
    expect(vendor.received[0]?.query).toEqual({ fields: '["name"]', order_by: 'name asc', limit_page_length: '0' });
  });

  it.each([
    ['Department', () => records.addDepartment('Leasing'), { department_name: 'Leasing', company: 'Meridian Palm' }],
    ['Designation', () => records.addDesignation('Agent'), { designation_name: 'Agent' }],
  ])('are added, unless they exist: %s', async (doctype, add, body) => {
    const call = `POST /api/resource/${doctype}`;
    vendor.on(
      call,
      { json: {} },
      { status: 409, json: { exc_type: 'DuplicateEntryError' } },
      { status: 403, json: {} },
    );
    await once(add);
    await once(add);
    expect(vendor.received.map(received => received.body)).toEqual([body, body]);
    await expect(once(add)).rejects.toMatchObject({ failure: { status: 403 } });
  });
});
