/** What the employee records receive, and how employees are read from their answers. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { EmployeeRecords } from '../../../../../core/integrations/employee-records/system.ts';
import employeeRecords from '../../../../../core/integrations/employee-records/system.ts';
import { once, openClient, type Reply, useVendor, vendorContext } from '../../../../support/vendor.ts';

const list = 'GET /api/resource/Employee';
const create = 'POST /api/resource/Employee';
const count = 'GET /api/method/frappe.client.get_count';
const settings = {
  EMPLOYEE_RECORDS_API_KEY: 'key',
  EMPLOYEE_RECORDS_API_SECRET: 'secret',
  EMPLOYEE_RECORDS_COMPANY: 'Meridian Palm',
  EMPLOYEE_RECORDS_COMPANY_ABBREVIATION: 'MP',
  EMPLOYEE_RECORDS_CRM_ID_FIELD: 'custom_crm_id',
};

const vendor = await useVendor();
let records: EmployeeRecords;

const opened = (env: Record<string, string> = settings) =>
  openClient(employeeRecords, { EMPLOYEE_RECORDS_URL: vendor.url, ...env });
beforeEach(() => {
  records = opened();
});

const doc = (name: string, change: object = {}) => ({ name, status: 'Active', first_name: 'Sara', ...change });
const docs = (...data: object[]): Reply => ({ json: { data } });
const recordNames = (employees: readonly { recordName: string }[]) => employees.map(({ recordName }) => recordName);
const filtersOf = (index: number) => {
  const { filters, or_filters } = vendor.received[index]?.query ?? {};
  return JSON.parse(filters ?? or_filters ?? 'null');
};

describe('all employees', () => {
  const page = (from: number, length: number) =>
    docs(...Array.from({ length }, (_, index) => doc(`E-${String(from + index).padStart(4, '0')}`)));

  it('are read 500 a page, each page after the last name of the page before, and counted', async () => {
    vendor.on(list, page(0, 500), page(500, 1));
    vendor.on(count, { json: { message: 501 } });
    expect(await once(() => records.all())).toHaveLength(501);
    expect([0, 1].map(filtersOf)).toEqual([[['name', '>', '']], [['name', '>', 'E-0499']]]);
    expect(vendor.received[0]?.query).toMatchObject({ order_by: 'name asc', limit_page_length: '500' });
    expect(vendor.received[0]?.headers.authorization).toBe('token key:secret');
    expect(vendor.received[2]?.query).toEqual({ doctype: 'Employee' });
  });

  it('are read to an empty page after a full one', async () => {
    vendor.on(list, page(0, 500), docs());
    vendor.on(count, { json: { message: 500 } });
    expect(await once(() => records.all())).toHaveLength(500);
    expect(vendor.calls()).toEqual([list, list, count]);
  });

  it('are read once more when some are missing', async () => {
    vendor.on(list, page(0, 1), page(0, 2));
    vendor.on(count, { json: { message: 2 } });
    expect(recordNames(await once(() => records.all()))).toEqual(['E-0000', 'E-0001']);
    expect(vendor.calls()).toEqual([list, count, list, count]);
  });

  it('are an error when some are missing in two reads', async () => {
    vendor.on(list, page(0, 1));
    vendor.on(count, { json: { message: 2 } });
    await expect(once(() => records.all())).rejects.toMatchObject({
      message: 'The employee records system counted 2 employees and returned 1.',
      failure: { system: 'employee-records', code: 'incomplete' },
    });
    expect(vendor.calls()).toEqual([list, count, list, count]);
  });

  it('are complete although others are added between each read and its count', async () => {
    vendor.on(list, page(0, 1), page(0, 2));
    vendor.on(count, { json: { message: 2 } }, { json: { message: 3 } });
    expect(await once(() => records.all())).toHaveLength(2);
    expect(vendor.calls()).toEqual([list, count, list, count]);
  });

  it('may be more than were counted', async () => {
    vendor.on(list, page(0, 2));
    vendor.on(count, { json: { message: 1 } });
    expect(await once(() => records.all())).toHaveLength(2);
  });
});

describe('find', () => {
  it('searches for employee number and record name, and returns whole matches only', async () => {
    vendor.on(list, docs(doc('E-1', { employee_number: '7a' }), doc('E-2', { employee_number: 7 })));
    expect(await once(() => records.find('7'))).toMatchObject({ recordName: 'E-2', number: '7' });
    expect(filtersOf(0)).toEqual([
      ['employee_number', '=', '7'],
      ['name', '=', '7'],
    ]);
    expect(vendor.received[0]?.query).toMatchObject({ limit_page_length: '0', order_by: 'name asc' });
    expect(vendor.received[0]?.query).not.toHaveProperty('filters');
    expect(JSON.parse(vendor.received[0]?.query.fields ?? '')).toEqual(
      expect.arrayContaining(['name', 'modified', 'employee_number', 'custom_crm_id']),
    );
  });

  it('finds a record by its name', async () => {
    vendor.on(list, docs(doc('E-1')));
    expect(await once(() => records.find('E-1'))).toMatchObject({ recordName: 'E-1', number: 'E-1' });
  });

  it('finds none', async () => {
    vendor.on(list, docs());
    expect(await once(() => records.find('7'))).toBeUndefined();
  });

  it('is a conflict when several records have the number', async () => {
    vendor.on(list, docs(doc('E-1', { employee_number: '7' }), doc('E-2', { employee_number: '7' })));
    await expect(once(() => records.find('7'))).rejects.toMatchObject({
      code: 'conflict',
      message: '2 records have the employee number 7: E-1, E-2. Use a record name instead.',
    });
  });

  it('by e-mail ignores case and spaces', async () => {
    const mails = ['Sara@X.example', 'other@x.example', null].map((company_email, at) =>
      doc(`E-${at}`, { company_email }),
    );
    vendor.on(list, docs(...mails));
    expect(recordNames(await once(() => records.findByEmail(' SARA@x.example')))).toEqual(['E-0']);
    expect(filtersOf(0)).toEqual([['company_email', '=', 'sara@x.example']]);
  });
});

describe('one record', () => {
  it('is read by its name', async () => {
    vendor.on('GET /api/resource/Employee/E%2F1', { json: { data: doc('E/1') } });
    expect(await once(() => records.get('E/1'))).toMatchObject({ recordName: 'E/1' });
  });

  it('is undefined when there is none', async () => {
    vendor.on('GET /api/resource/Employee/E-1', { status: 404, json: { exc_type: 'DoesNotExistError' } });
    vendor.on('PUT /api/resource/Employee/E-1', { status: 404, json: { exc_type: 'DoesNotExistError' } });
    expect(await once(() => records.get('E-1'))).toBeUndefined();
    expect(await once(() => records.update('E-1', { status: 'Left' }))).toBeUndefined();
  });

  it('is changed in the fields of the change', async () => {
    vendor.on('PUT /api/resource/Employee/E-1', { json: { data: doc('E-1') } });
    const change = { lastName: null, department: 'Leasing', crmId: '17', directoryId: 'd' };
    expect(await once(() => records.update('E-1', change))).toMatchObject({ recordName: 'E-1' });
    expect(vendor.received[0]?.body).toEqual({ last_name: null, department: 'Leasing - MP', custom_crm_id: '17' });
  });

  it('is deleted; false when there was none', async () => {
    vendor.on('DELETE /api/resource/Employee/E-1', { status: 202, json: { data: 'ok' } }, { status: 404, json: {} });
    expect(await once(() => records.delete('E-1'))).toBe(true);
    expect(await once(() => records.delete('E-1'))).toBe(false);
  });

  it('is not deleted while a document links to it', async () => {
    const exception = 'frappe.exceptions.LinkExistsError: it is linked with Attendance <a href="/x">A-1</a>';
    vendor.on('DELETE /api/resource/Employee/E-1', { status: 417, json: { exc_type: 'LinkExistsError', exception } });
    await expect(once(() => records.delete('E-1'))).rejects.toMatchObject({
      code: 'conflict',
      linked: { doctype: 'Attendance', name: 'A-1' },
    });
  });
});

describe('a new record', () => {
  it('is active and of the company, unless given otherwise', async () => {
    vendor.on(create, { json: { data: doc('E-1') } });
    expect(await once(() => records.create({ firstName: 'Sara' }))).toMatchObject({ recordName: 'E-1' });
    await once(() => records.create({ firstName: 'Sara', status: 'Inactive', company: 'Other' }));
    await once(() => opened({}).create({ firstName: 'Sara' }));
    expect(vendor.received.map(({ body }) => body)).toEqual([
      { first_name: 'Sara', company: 'Meridian Palm', status: 'Active' },
      { first_name: 'Sara', company: 'Other', status: 'Inactive' },
      { first_name: 'Sara', company: null, status: 'Active' },
    ]);
  });

  it('is sent once when its answer is lost', async () => {
    vendor.on(create, { drop: true });
    await expect(records.create({ firstName: 'Sara' })).rejects.toMatchObject({ maybeExecuted: true });
    expect(vendor.calls()).toEqual([create]);
  });

  it('is rejected with the fields at fault', async () => {
    const exception = 'frappe.exceptions.InvalidEmailAddressError: x is not a valid Email Address';
    vendor.on(create, { status: 417, json: { exc_type: 'InvalidEmailAddressError', exception } });
    await expect(once(() => records.create({ firstName: 'Sara', personalEmail: 'x' }))).rejects.toMatchObject({
      code: 'invalid-input',
      faults: [{ pointer: '/personalEmail', detail: 'is not an e-mail address' }],
    });
  });
});

it('the probe counts the employees', async () => {
  vendor.on(count, { json: { message: 7 } });
  await once(() => employeeRecords.probe(vendorContext({ EMPLOYEE_RECORDS_URL: vendor.url })));
  expect(vendor.calls()).toEqual([count]);
  expect(await once(() => records.count())).toBe(7);
});

it('tells which fields the records have', () =>
  expect([records.hasField('crmId'), records.hasField('directoryId'), records.hasField('email')]).toEqual([
    true,
    false,
    true,
  ]));

it('the sandbox serves the system with its own settings', async () => {
  vendor.on('POST /employee-records/api/resource/Employee', { json: { data: doc('E-1') } });
  const served = openClient(employeeRecords, {}, { sandboxUrl: vendor.url });
  await once(() => served.create({ firstName: 'Sara', crmId: '1', directoryId: '2', department: 'Leasing' }));
  expect(vendor.received[0]).toMatchObject({
    headers: { authorization: 'token sandbox:sandbox' },
    body: { company: 'Meridian Palm', department: 'Leasing - MP', custom_crm_id: '1', custom_directory_id: '2' },
  });
});

it.each(['customCrmId', '1_id', 'crm id', ' crm'])('a custom field is not named %j', name =>
  expect(() => opened({ EMPLOYEE_RECORDS_CRM_ID_FIELD: name })).toThrow('must be a field name, such as custom_crm_id'),
);
