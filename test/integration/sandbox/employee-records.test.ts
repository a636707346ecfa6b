/** Tests the simulated employee records with an independent Frappe client, frappe-js-sdk. */
import { FrappeApp } from 'frappe-js-sdk';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { useSandbox } from '../../support/sandbox.ts';

const sandbox = useSandbox();
afterEach(() => sandbox.control.reset('employee-records'));

const app = (token = 'sandbox:sandbox') =>
  new FrappeApp(`${sandbox.url}/employee-records`, { useToken: true, token: () => token, type: 'token' });
const db = () => app().db();

const ErrorResponse = z.looseObject({
  httpStatus: z.int(),
  exc_type: z.string(),
  _server_messages: z.string().optional(),
});
/** Returns the client's error with the messages decoded twice. */
async function errorOf(call: Promise<unknown>) {
  const error = ErrorResponse.parse(
    await call.then(
      () => {
        throw new Error('the call succeeded');
      },
      (thrown: unknown) => thrown,
    ),
  );
  const messages = z.array(z.string()).parse(JSON.parse(error._server_messages ?? '[]'));
  return {
    status: error.httpStatus,
    type: error.exc_type,
    messages: messages.map(text => z.object({ message: z.string() }).parse(JSON.parse(text)).message),
  };
}

const complete = {
  first_name: 'Amal',
  last_name: 'Haddad',
  gender: 'Female',
  date_of_birth: '1990-02-03',
  date_of_joining: '2024-01-15',
  company: 'Meridian Palm',
  department: 'Leasing - MP',
  status: 'Active',
};

describe('lists', () => {
  it('return 20 names by default, and all with a length of 0', async () => {
    const names = await db().getDocList('Employee');
    expect(names).toHaveLength(20);
    expect(names[0]).toEqual({ name: expect.stringMatching(/^HR-EMP-\d{5}$/) });
    expect(await db().getDocList('Employee', { limit: 0 })).toHaveLength(250);
    expect(await db().getCount('Employee')).toBe(250);
  });

  it('filter, sort and page', async () => {
    const filters: [string, '=', string][] = [['status', '=', 'Left']];
    const left = await db().getDocList<{ name: string; status: string }>('Employee', {
      fields: ['name', 'status'],
      filters,
      orderBy: { field: 'name', order: 'desc' },
      limit: 5,
      limit_start: 2,
    });
    expect(left).toHaveLength(5);
    expect(left.every(({ status }) => status === 'Left')).toBe(true);
    expect(left.map(({ name }) => name)).toEqual(
      left
        .map(({ name }) => name)
        .toSorted()
        .reverse(),
    );
    expect(await db().getCount('Employee', filters)).toBe(12);
  });

  it('reject an unknown field', async () =>
    expect(await errorOf(db().getDocList('Employee', { fields: ['salary'] }))).toMatchObject({
      status: 417,
      type: 'DataError',
    }));
});

describe('a document', () => {
  it('is created, partly changed, and deleted', async () => {
    const created = await db().createDoc('Employee', complete);
    expect(created).toMatchObject({ name: 'HR-EMP-00251', employee_name: 'Amal Haddad', department: 'Leasing - MP' });
    const changed = await db().updateDoc('Employee', created.name, { designation: 'Property Manager' });
    expect(changed).toMatchObject({ first_name: 'Amal', designation: 'Property Manager' });
    await db().deleteDoc('Employee', created.name);
    expect(await errorOf(db().getDoc('Employee', created.name))).toMatchObject({
      status: 404,
      type: 'DoesNotExistError',
    });
  });

  it.each([
    [{ gender: null }, 'MandatoryError', 'Error: Value missing for Employee: <b>Gender</b>'],
    [{ department: 'Nowhere - MP' }, 'LinkValidationError', 'Could not find Department: Nowhere - MP'],
    [{ date_of_joining: '1980-01-01' }, 'ValidationError', 'Date of Joining must be greater than Date of Birth'],
    [{ status: 'Left' }, 'ValidationError', 'Please enter relieving date.'],
    [{ cell_number: 'ext. 12' }, 'InvalidPhoneNumberError', 'ext. 12 is not a valid Phone Number'],
    [{ middle_name: [] }, 'ValidationError', 'Value for Middle Name cannot be a list'],
    [{ company_email: 'nobody' }, 'InvalidEmailAddressError', '<b>nobody</b> is not a valid Email Address'],
  ])('with %j is rejected with the vendor’s error %s', async (fields, type, message) => {
    const rejected = await errorOf(db().createDoc('Employee', { ...complete, ...fields }));
    expect(rejected).toEqual({ status: 417, type, messages: [message] });
  });

  it('with the user of another active employee is rejected as a duplicate (409)', async () => {
    await db().createDoc('Employee', { ...complete, user_id: 'amal@meridianpalm.example' });
    const again = db().createDoc('Employee', { ...complete, user_id: 'amal@meridianpalm.example' });
    expect(await errorOf(again)).toMatchObject({ status: 409, type: 'DuplicateEntryError' });
  });

  it('of a manager with reports cannot be deleted or relieved', async () => {
    const rejected = await errorOf(db().deleteDoc('Employee', 'HR-EMP-00001'));
    expect(rejected).toMatchObject({ status: 417, type: 'LinkExistsError' });
    const relieved = db().updateDoc('Employee', 'HR-EMP-00001', { status: 'Left', relieving_date: '2026-06-01' });
    expect((await errorOf(relieved)).messages[0]).toContain('still reporting to');
  });
});

describe('an employee to whom other documents link', () => {
  const anchor = (path: string, name: string) =>
    `<a href="https://erp.meridianpalm.example/app/${path}/${name}">${name}</a>`;
  const linkedWith = (docname: string) =>
    app().call().get('frappe.desk.form.linked_with.get', { doctype: 'Employee', docname });

  it('cannot be deleted; the error names one of the documents', async () => {
    const { name } = await db().createDoc('Employee', complete);
    const leave = { employee: name, from_date: '2026-02-02', to_date: '2026-02-06' };
    const made = await db().createDoc('Leave Application', leave);
    expect(await errorOf(db().deleteDoc('Employee', name))).toEqual({
      status: 417,
      type: 'LinkExistsError',
      messages: [
        `Cannot delete or cancel because Employee ${anchor('employee', name)} is linked with Leave Application ${anchor('leave-application', made.name)} `,
      ],
    });
    expect(await linkedWith(name)).toMatchObject({ message: { 'Leave Application': [{ name: made.name }] } });
    await db().deleteDoc('Leave Application', made.name);
    expect(await linkedWith(name)).toEqual({ message: {} });
    await db().deleteDoc('Employee', name);
  });

  it('exists when the setting linkedEmployees attaches attendance documents', async () => {
    expect(await db().getCount('Attendance')).toBe(0);
    await sandbox.control.settings('employee-records', { linkedEmployees: 3 });
    await sandbox.control.data('employee-records', 'attendance', 'reset');
    const fields = ['name', 'employee'];
    const docs = await db().getDocList('Attendance', { fields, orderBy: { field: 'name', order: 'asc' } });
    expect(docs).toEqual(
      [1, 2, 3].map(number => ({ name: `HR-ATT-2026-0000${number}`, employee: `HR-EMP-0000${number}` })),
    );
  });
});

describe('child tables', () => {
  const school = { school_univ: 'Khalifa University', qualification: 'BSc', year_of_passing: 2012 };

  it('are stored with generated members, returned with the document, and not in lists', async () => {
    const created = await db().createDoc('Employee', { ...complete, education: [school, { hat: 'green' }] });
    const doc = await db().getDoc<{ education: object[] }>('Employee', created.name);
    expect(doc.education).toMatchObject([
      { ...school, parent: created.name, parentfield: 'education', parenttype: 'Employee', idx: 1 },
      { doctype: 'Employee Education', school_univ: null, idx: 2 },
    ]);
    expect(doc.education[1]).not.toHaveProperty('hat');
    const changed = await db().updateDoc('Employee', created.name, { branch: null, education: [] });
    expect(changed).toMatchObject({ education: [], external_work_history: [] });
    const [listed] = await db().getDocList('Employee', { fields: ['*'], limit: 1 });
    expect(listed).not.toHaveProperty('education');
  });
});

describe('a caller', () => {
  it('needs the token', async () => {
    await expect(app('sandbox:wrong').db().getCount('Employee')).rejects.toMatchObject({ httpStatus: 401 });
    const { status } = await fetch(`${sandbox.url}/employee-records/api/resource/Employee`);
    expect(status).toBe(403);
  });

  it('that does not accept JSON gets an HTML page', async () => {
    const response = await fetch(`${sandbox.url}/employee-records/api/resource/Employee/none`, {
      headers: { authorization: 'token sandbox:sandbox' },
    });
    expect([response.status, response.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
  });
});
