/** The simulated employee records, held against an independent client of the vendor's kind: frappe-js-sdk. */
import { FrappeApp } from 'frappe-js-sdk';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Sandbox, startSandbox } from '../../support/sandbox.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterEach(() => sandbox.control.reset('employee-records'));
afterAll(() => sandbox.close());

const app = (token = 'sandbox:sandbox') =>
  new FrappeApp(`${sandbox.url}/employee-records`, { useToken: true, token: () => token, type: 'token' });
const db = () => app().db();

const Refusal = z.looseObject({
  httpStatus: z.int(),
  exc_type: z.string(),
  _server_messages: z.string().optional(),
});
/** What the client makes of an error answer, and the messages decoded twice. */
async function refusal(done: Promise<unknown>) {
  const error = Refusal.parse(
    await done.then(
      () => {
        throw new Error('it was not refused');
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
  it('give twenty names unless told otherwise, and all for a length of 0', async () => {
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

  it('refuse a field that is not there', async () => {
    expect(await refusal(db().getDocList('Employee', { fields: ['salary'] }))).toMatchObject({
      status: 417,
      type: 'DataError',
    });
  });
});

describe('a document', () => {
  it('is made, changed in part, and deleted', async () => {
    const made = await db().createDoc('Employee', complete);
    expect(made).toMatchObject({
      name: 'HR-EMP-00251',
      employee_name: 'Amal Haddad',
      department: 'Leasing - MP',
    });
    const changed = await db().updateDoc('Employee', made.name, { designation: 'Property Manager' });
    expect(changed).toMatchObject({ first_name: 'Amal', designation: 'Property Manager' });
    await db().deleteDoc('Employee', made.name);
    expect(await refusal(db().getDoc('Employee', made.name))).toMatchObject({
      status: 404,
      type: 'DoesNotExistError',
    });
  });

  it.each([
    [{ gender: null }, 'MandatoryError', 'Error: Value missing for Employee: <b>Gender</b>'],
    [{ department: 'Nowhere - MP' }, 'LinkValidationError', 'Could not find Department: Nowhere - MP'],
    [
      { date_of_joining: '1980-01-01' },
      'ValidationError',
      'Date of Joining must be greater than Date of Birth',
    ],
    [{ status: 'Left' }, 'ValidationError', 'Please enter relieving date.'],
    [{ company_email: 'nobody' }, 'InvalidEmailAddressError', '<b>nobody</b> is not a valid Email Address'],
  ])('with %j is refused as the vendor does: %s', async (fields, type, message) => {
    const refused = await refusal(db().createDoc('Employee', { ...complete, ...fields }));
    expect(refused).toEqual({ status: 417, type, messages: [message] });
  });

  it('of a user that another active employee has is a duplicate (409)', async () => {
    await db().createDoc('Employee', { ...complete, user_id: 'amal@meridianpalm.example' });
    const again = db().createDoc('Employee', { ...complete, user_id: 'amal@meridianpalm.example' });
    expect(await refusal(again)).toMatchObject({ status: 409, type: 'DuplicateEntryError' });
  });

  it('that somebody reports to cannot be deleted, nor relieved', async () => {
    const refused = await refusal(db().deleteDoc('Employee', 'HR-EMP-00001'));
    expect(refused).toMatchObject({ status: 417, type: 'LinkExistsError' });
    const relieved = db().updateDoc('Employee', 'HR-EMP-00001', {
      status: 'Left',
      relieving_date: '2026-06-01',
    });
    expect((await refusal(relieved)).messages[0]).toContain('still reporting to');
  });
});

describe('who asks', () => {
  it('needs the token', async () => {
    await expect(app('sandbox:wrong').db().getCount('Employee')).rejects.toMatchObject({ httpStatus: 401 });
    const { status } = await fetch(`${sandbox.url}/employee-records/api/resource/Employee`);
    expect(status).toBe(403);
  });

  it('without asking for JSON is shown a page', async () => {
    const answer = await fetch(`${sandbox.url}/employee-records/api/resource/Employee/none`, {
      headers: { authorization: 'token sandbox:sandbox' },
    });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
  });
});
