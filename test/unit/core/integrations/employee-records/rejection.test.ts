/** Rejections of the employee records become errors with the fields at fault, in our names. */
import { describe, expect, it } from 'vitest';
import { EmployeeRecordsConfig } from '../../../../../core/integrations/employee-records/config.ts';
import {
  EmployeeLinkedError,
  readFault,
  withRejections,
} from '../../../../../core/integrations/employee-records/rejection.ts';
import { employeeWire } from '../../../../../core/integrations/employee-records/wire.ts';
import { rawAnswer } from '../../../../../core/integrations/kit/call.ts';
import { UpstreamError } from '../../../../../core/integrations/kit/upstream-error.ts';
import { readConfig } from '../../../../../core/runtime/config.ts';

const anchor = (name: string) => `<a href="https://erp.example/app/some-form/${name}">${name}</a>`;

function linkedError(text: string): EmployeeLinkedError {
  const body = { exc_type: 'LinkExistsError', exception: `frappe.exceptions.LinkExistsError: ${text}` };
  const fault = readFault(rawAnswer(417, {}, Buffer.from(JSON.stringify(body))));
  expect(fault).toMatchObject({ verdict: 'rejected', code: 'LinkExistsError' });
  return new EmployeeLinkedError(fault?.message ?? '', undefined);
}

it.each([
  ['Attendance', 'HR-ATT-2026-00001', ''],
  ['Leave Application', 'HR-LAP-2026-00001', ''],
  ['Payroll Entry', 'HR-PRUN-2026-00001', 'at Row: 3'],
  ['Project', 'Palm Villas, Phase 2', ''],
])('names the linked document: %s %s', (doctype, name, row) => {
  const error = linkedError(
    `Cannot delete or cancel because Employee ${anchor('HR-EMP-00001')} is linked with ${doctype} ${anchor(name)} ${row}`,
  );
  expect(error.linked).toEqual({ doctype, name });
  expect(error.message).toBe(`The employee records do not delete this employee: ${doctype} ${name} links to it.`);
});

it.each([
  [
    `Löschen nicht möglich, weil Mitarbeiter ${anchor('HR-EMP-00001')} mit Anwesenheit ${anchor('HR-ATT-1')} verknüpft ist`,
    'Löschen nicht möglich, weil Mitarbeiter “HR-EMP-00001” mit Anwesenheit “HR-ATT-1” verknüpft ist',
  ],
  [
    `Cannot delete or cancel because Employee ${anchor('HR-EMP-00001')} is linked with  ${anchor('HR Settings')} `,
    'Cannot delete or cancel because Employee “HR-EMP-00001” is linked with “HR Settings”',
  ],
])('contains the vendor’s text if it names no doctype in English', (text, shown) => {
  const error = linkedError(text);
  expect(error.linked).toBeUndefined();
  expect(error.message).toBe(`The employee records do not delete this employee: ${shown}`);
});

describe('an error answer', () => {
  const read = (status: number, body: unknown) => readFault(rawAnswer(status, {}, Buffer.from(JSON.stringify(body))));
  const kind = { exc_type: 'ValidationError' };
  const messages = (...texts: string[]) => JSON.stringify(texts.map(message => JSON.stringify({ message })));

  it.each([
    [{ exception: 'frappe.exceptions.ValidationError: Wrong date' }, 'Wrong date'],
    [{ exception: 'frappe.x.Error: a: b' }, 'a: b'],
    [{}, ''],
    [{ _server_messages: messages('One', 'Two'), exception: 'frappe.Error: other' }, 'One Two'],
    [
      { _server_messages: messages('One'), exception: 'frappe.MandatoryError: [Employee, E-1]: gender' },
      '[Employee, E-1]: gender',
    ],
    [{ _server_messages: 'no JSON', exception: 'frappe.Error: other' }, 'other'],
    [{ _server_messages: JSON.stringify(['no JSON']), exception: 'frappe.Error: other' }, 'other'],
    [{ _server_messages: '[]', exception: 'frappe.Error: other' }, 'other'],
    [
      { exception: 'Duplicate <A class="x" href="/e">Sara H</A><br>and <br/> <b>more</b>  ' },
      'Duplicate “Sara H” and more',
    ],
    [{ exception: 'sara@x.example is wrong, as is a@b' }, '… is wrong, as is …'],
    [{ exception: 'x'.repeat(600) }, 'x'.repeat(500)],
  ])('%j has the text %j', (body, message) =>
    expect(read(417, { ...kind, ...body })).toEqual({
      verdict: 'rejected',
      code: 'ValidationError',
      message,
      isPersonal: true,
    }),
  );

  it.each([200, 399, 401, 429, 500, 503])('with the status %i is classified by its status', status =>
    expect(read(status, kind)).toBeUndefined(),
  );

  it.each([400, 403, 404, 499])('with the status %i has its kind', status => expect(read(status, kind)).toBeDefined());

  it.each([{}, [], 'text', { exc_type: 7 }])('of another form is classified by its status: %j', body =>
    expect(read(417, body)).toBeUndefined(),
  );
});

describe('a rejection', () => {
  const wire = employeeWire(readConfig(EmployeeRecordsConfig, { EMPLOYEE_RECORDS_CRM_ID_FIELD: 'custom_crm' }));
  const failed = (status: number, code?: string, message?: string) =>
    new UpstreamError('upstream-failed', 'rejected', {
      kind: 'rejected',
      system: 'employee-records',
      status,
      ...(code !== undefined && { code }),
      ...(message !== undefined && { message }),
    });
  const rejected = (error: unknown, sent?: object) => withRejections(Promise.reject(error), wire, sent);

  it('is none for a call that succeeds', async () => expect(await withRejections(Promise.resolve(7), wire)).toBe(7));

  it('of what exists is a conflict', async () => {
    const cause = failed(409, 'DuplicateEntryError', 'User is used');
    await expect(rejected(cause)).rejects.toMatchObject({
      code: 'conflict',
      message: 'The employee records already contain this.',
      cause,
      faults: [{ pointer: '', detail: 'User is used' }],
    });
    await expect(rejected(failed(409))).rejects.toMatchObject({ faults: [{ pointer: '', detail: '' }] });
  });

  it.each([
    ['MandatoryError', '[Employee, E-1]: first_name, gender', ['/firstName must be given', '/gender must be given']],
    ['MandatoryError', 'custom_crm,custom_other', ['/crmId must be given', ' custom_other must be given']],
    [
      'LinkValidationError',
      'Could not find Department: Sales, Designation: Agent',
      ['/department is not known to the employee records', '/designation is not known to the employee records'],
    ],
    ['LinkValidationError', 'Could not find Row Type: x', [' Row Type is not known to the employee records']],
    [
      'ValidationError',
      '+1 is not a valid phone number',
      ['/phone is not a phone number that the employee records accept'],
    ],
    [
      'ValidationError',
      'These are still reporting to Sara: Sam',
      ['/status cannot be Left while an active employee reports to this one'],
    ],
    ['ValidationError', 'Date of Joining is wrong', ['/dateOfJoining Date of Joining is wrong']],
    ['ValidationError', 'It is wrong', [' It is wrong']],
    [undefined, undefined, [' is rejected']],
  ])('%s “%s” has the faults %j', async (code, message, expected) => {
    const error: unknown = await rejected(failed(417, code, message)).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'invalid-input', message: 'The employee records rejected this.' });
    const { faults } = error as { faults: { pointer: string; detail: string }[] };
    expect(faults.map(({ pointer, detail }) => `${pointer} ${detail}`)).toEqual(expected);
  });

  it.each([
    [{ email: 'a@x.example', personalEmail: 'wrong' }, '/personalEmail'],
    [{ email: 'wrong', personalEmail: 'wrong' }, '/email'],
    [{ firstName: 'Sara', email: '', personalEmail: 'wrong' }, '/personalEmail'],
    [{ firstName: 'Sara' }, '/email'],
  ])('of an e-mail in %j is at %s', async (sent, pointer) => {
    const error = failed(417, 'InvalidEmailAddressError', 'x is not a valid email address');
    await expect(rejected(error, sent)).rejects.toMatchObject({
      faults: [{ pointer, detail: 'is not an e-mail address' }],
    });
  });

  it('because of a linked document names it', async () => {
    const error = failed(417, 'LinkExistsError', 'It is linked with Leave Application “L-1”');
    await expect(rejected(error)).rejects.toMatchObject({ linked: { doctype: 'Leave Application', name: 'L-1' } });
    await expect(rejected(error)).rejects.toBeInstanceOf(EmployeeLinkedError);
  });

  it.each([failed(403, 'LinkExistsError', 'x'), new Error('other')])('otherwise stays as it is: %s', async error => {
    await expect(rejected(error)).rejects.toBe(error);
  });
});
