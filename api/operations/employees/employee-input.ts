/** Employee fields in requests. */
import { z } from 'zod';
import { EmployeeStatus } from '../../../core/integrations/employee-records/employee.ts';
import { EmailInput, PhoneInput } from '../../http/input-fields.ts';

/** With the limits of the employee records. */
const word = z
  .string()
  .trim()
  .min(1)
  .max(140)
  .regex(/^\P{Cc}*$/u, 'must not have control characters');
const date = z.iso.date();
const requiredThere = 'Required by the employee records; not in answers.';
const resynced = 'The resync overwrites it from the identity directory, if the employee exists there.';

const fields = {
  employeeNumber: word.describe('Absent: the name of the record is the number.'),
  firstName: word.describe('First name.'),
  lastName: word.describe('Last name.'),
  email: EmailInput.describe(`Company address. ${resynced}`),
  phone: PhoneInput.describe('In any common spelling. The resync overwrites it from the CRM, if the CRM has one.'),
  department: word.describe(`Must exist in the employee records. ${resynced}`),
  designation: word.describe(`Must exist in the employee records. ${resynced}`),
  status: z.enum(EmployeeStatus.options).describe(`Left requires \`relievingDate\` and no active reports. ${resynced}`),
  dateOfJoining: date.describe('First day of work.'),
  reportsTo: word.describe('The number of the manager.'),
  crmId: z.int().min(1, 'must be the id of a CRM user').describe('The user’s id in the CRM.'),
  directoryId: word.describe('The user’s id in the identity directory.'),
  gender: word.describe(requiredThere),
  dateOfBirth: date.describe(requiredThere),
  relievingDate: date.describe('The last day; not in answers.'),
  company: word.describe('Absent: the configured company; not in answers.'),
  branch: word.describe('Not in answers.'),
};

/** Input of a deletion that sets linked employees to Left. */
export const relievingDateField = date
  .optional()
  .describe('Last day of employees set to Left; absent: the day in the record, else today in Asia/Dubai.');

const required = (what: string) => `must be ${what}: the employee records require it`;

export const NewEmployeeInput = z
  .object(fields)
  .partial()
  .extend({
    firstName: fields.firstName,
    gender: fields.gender,
    dateOfBirth: z.iso.date({ error: required('a date such as 1990-01-31') }).describe(requiredThere),
    dateOfJoining: z.iso.date({ error: required('a date such as 2026-01-31') }).describe('First day of work.'),
    status: fields.status.default('Active'),
  })
  .meta({
    examples: [
      {
        employeeNumber: 'MP-1042',
        firstName: 'Sara',
        lastName: 'Haddad',
        email: 'sara.haddad@meridianpalm.example',
        phone: '050 123 4567',
        department: 'Leasing',
        designation: 'Leasing Consultant',
        dateOfJoining: '2024-03-01',
        reportsTo: 'MP-1007',
        gender: 'Female',
        dateOfBirth: '1991-05-17',
      },
    ],
  });

/** Fields that can be cleared; the employee records require the others. */
const { employeeNumber, lastName, email, phone, department, designation } = fields;
const { reportsTo, crmId, directoryId, relievingDate, branch } = fields;
const clearable = <S extends z.ZodType>(field: S) => field.nullable().describe(field.description ?? '');

export const EmployeeChangeInput = z
  .object({
    ...fields,
    employeeNumber: clearable(employeeNumber),
    lastName: clearable(lastName),
    email: clearable(email),
    phone: clearable(phone),
    department: clearable(department),
    designation: clearable(designation),
    reportsTo: clearable(reportsTo),
    crmId: clearable(crmId),
    directoryId: clearable(directoryId),
    relievingDate: clearable(relievingDate),
    branch: clearable(branch),
  })
  .partial()
  .refine(
    change => Object.values(change).some(value => value !== undefined),
    `must name at least one of ${Object.keys(fields).join(', ')}`,
  )
  .meta({ examples: [{ department: 'Marketing', reportsTo: 'MP-1030', phone: null }] });
