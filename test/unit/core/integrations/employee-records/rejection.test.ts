/** Texts of the employee records that refuse the deletion of a linked employee. */
import { expect, it } from 'vitest';
import { EmployeeLinkedError, readFault } from '../../../../../core/integrations/employee-records/rejection.ts';
import { rawAnswer } from '../../../../../core/integrations/kit/call.ts';

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
