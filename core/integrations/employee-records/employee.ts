/** An employee in our words. */
import { z } from 'zod';

export const EmployeeStatus = z.enum(['Active', 'Inactive', 'Suspended', 'Left']);
export type EmployeeStatus = z.infer<typeof EmployeeStatus>;

const text = z.string().nullable();
const date = z.iso.date({ error: 'must be a date, such as 2026-01-31' });

/** What can be told of an employee; null: nothing. */
export const EmployeeFields = z.object({
  employeeNumber: text,
  firstName: z.string(),
  lastName: text,
  email: text.describe('Of the company.'),
  personalEmail: text,
  phone: text.describe('As it stands in the records.'),
  gender: text,
  dateOfBirth: date.nullable(),
  dateOfJoining: date.nullable(),
  relievingDate: date.nullable().describe('The last day; needed for the status Left.'),
  company: text,
  department: text,
  designation: text,
  branch: text,
  status: EmployeeStatus,
  reportsTo: text.describe('The record name of whom they report to.'),
  crmId: text,
  directoryId: text,
});
export type EmployeeFields = z.infer<typeof EmployeeFields>;

/** What is not named stays as it is. */
export const EmployeeChange = EmployeeFields.partial();
export type EmployeeChange = z.infer<typeof EmployeeChange>;
export type NewEmployee = EmployeeChange & Pick<EmployeeFields, 'firstName'>;

export const Employee = EmployeeFields.extend({
  recordName: z.string().describe('The record’s own name, such as HR-EMP-00001.'),
  number: z.string().describe('The employee number; where there is none, the record name.'),
  modifiedAt: z.string().describe('As the records tell it.'),
});
export type Employee = z.infer<typeof Employee>;
