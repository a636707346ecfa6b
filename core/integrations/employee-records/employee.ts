/** An employee in our form. */
import { z } from 'zod';

export const EmployeeStatus = z.enum(['Active', 'Inactive', 'Suspended', 'Left']);
export type EmployeeStatus = z.infer<typeof EmployeeStatus>;

const text = z.string().nullable();
const date = z.iso.date({ error: 'must be a date, such as 2026-01-31' });

/** Null: not known. */
export const EmployeeFields = z.object({
  employeeNumber: text,
  firstName: z.string(),
  lastName: text,
  email: text.describe('Company e-mail.'),
  personalEmail: text,
  phone: text.describe('As stored in the records, in any spelling.'),
  gender: text,
  dateOfBirth: date.nullable(),
  dateOfJoining: date.nullable(),
  relievingDate: date.nullable().describe('The last day; required for the status Left.'),
  company: text,
  department: text,
  designation: text,
  branch: text,
  status: EmployeeStatus,
  reportsTo: text.describe('Record name of the manager.'),
  crmId: text,
  directoryId: text,
});
export type EmployeeFields = z.infer<typeof EmployeeFields>;

/** Absent fields stay as they are. */
export const EmployeeChange = EmployeeFields.partial();
export type EmployeeChange = z.infer<typeof EmployeeChange>;
export type NewEmployee = EmployeeChange & Pick<EmployeeFields, 'firstName'>;

export const Employee = EmployeeFields.extend({
  recordName: z.string().describe('Name of the record, such as HR-EMP-00001.'),
  number: z.string().describe('The employee number, else the record name.'),
  modifiedAt: z.string().describe('As the records return it.'),
});
export type Employee = z.infer<typeof Employee>;
