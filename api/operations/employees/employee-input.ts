/** What callers say of an employee, and how it is put to the employee records. */
import { z } from 'zod';
import type { CallerFields, EmployeeField } from '../../../core/domain/employees/employee-view.ts';
import type { Employees } from '../../../core/domain/employees/repository.ts';
import type { EmployeeRecords } from '../../../core/integrations/employee-records/system.ts';
import { type EmployeeChange, EmployeeStatus } from '../../../core/integrations/employee-records/employee.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { EmailInput, PhoneInput } from '../../http/input-fields.ts';

/** As long as the records' own fields. */
const word = z
  .string({ error: 'must be a text' })
  .trim()
  .min(1, 'must not be empty')
  .max(140, 'must have at most 140 characters')
  .regex(/^\P{Cc}*$/u, 'must not have control characters');
const date = z.iso.date({ error: 'must be a date, such as 2026-01-31' });
const crmId = z.int('must be a whole number').min(1, 'must be the id of a user of the CRM');
const requiredThere = 'The employee records require it; it is not shown here.';
const resynced = 'The resync takes it from the identity directory, where that knows the employee.';

const fields = {
  employeeNumber: word.describe('Absent: the employee goes by the record’s name.'),
  firstName: word,
  lastName: word,
  email: EmailInput.describe(`Of the company. ${resynced}`),
  phone: PhoneInput.describe('Any sensible spelling. The resync takes it from the CRM, where that has one.'),
  department: word.describe(`One that the employee records have. ${resynced}`),
  designation: word.describe(`One that the employee records have. ${resynced}`),
  status: z
    .enum(EmployeeStatus.options, { error: `must be one of ${EmployeeStatus.options.join(', ')}` })
    .describe(`Left needs \`relievingDate\`, and nobody active who reports to them. ${resynced}`),
  dateOfJoining: date,
  reportsTo: word.describe('The number of another employee.'),
  crmId,
  directoryId: word,
  gender: word.describe(requiredThere),
  dateOfBirth: date.describe(requiredThere),
  relievingDate: date.describe('The last day; not shown here.'),
  company: word.describe('Absent: the company of the settings; not shown here.'),
  branch: word.describe('Not shown here.'),
};

const required = (what: string) => `must be ${what}: the employee records require it`;

export const NewEmployeeInput = z
  .object(fields)
  .partial()
  .extend({
    firstName: word,
    gender: fields.gender.describe(requiredThere),
    dateOfBirth: z.iso.date({ error: required('a date such as 1990-01-31') }).describe(requiredThere),
    dateOfJoining: z.iso.date({ error: required('a date such as 2026-01-31') }),
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

/** What the records insist on can be changed, not emptied. */
const { employeeNumber, lastName, email, phone, department, designation } = fields;
const { reportsTo, directoryId, relievingDate, branch } = fields;

export const EmployeeChangeInput = z
  .object({
    ...fields,
    employeeNumber: employeeNumber.nullable(),
    lastName: lastName.nullable(),
    email: email.nullable(),
    phone: phone.nullable(),
    department: department.nullable(),
    designation: designation.nullable(),
    reportsTo: reportsTo.nullable(),
    crmId: crmId.nullable(),
    directoryId: directoryId.nullable(),
    relievingDate: relievingDate.nullable(),
    branch: branch.nullable(),
  })
  .partial()
  .refine(
    change => Object.values(change).some(value => value !== undefined),
    `must name at least one of ${Object.keys(fields).join(', ')}`,
  )
  .meta({ examples: [{ department: 'Marketing', reportsTo: 'MP-1030', phone: null }] });

type Told = Partial<z.output<typeof EmployeeChangeInput>>;

export interface ForRecords {
  change: EmployeeChange;
  /** What the list takes over from the caller. */
  given: CallerFields;
  /** The fields of the list that are named. */
  listed: EmployeeField[];
}

/**
 * The records know superiors by the names of their records, and ids of other systems as texts.
 * @param number whose fields they are; undefined: a new employee’s
 * @throws ServiceError invalid-input when nobody has the superior's number, or the superior reports to the employee
 */
export async function forRecords(
  { reportsTo: superior, crmId: id, ...told }: Told,
  { employees, records }: { employees: Employees; records: EmployeeRecords },
  number?: string,
): Promise<ForRecords> {
  const above = superior ? await superiorOf(superior, employees, records) : undefined;
  if (above && number !== undefined && (await employees.isBelow(above.number, number)))
    throw superiorFault('must not be the employee, nor somebody who reports to them, be it through others');
  const reportsToNumber = superior === undefined ? undefined : (above?.number ?? null);
  const given: CallerFields = {
    ...(reportsToNumber !== undefined && { reportsTo: reportsToNumber }),
    ...(id !== undefined && { crmId: id }),
    ...(told.directoryId !== undefined && { directoryId: told.directoryId }),
  };
  const named = { ...told, ...given };
  return {
    given,
    listed: listedFields.filter(field => named[field] !== undefined),
    change: {
      ...told,
      ...(id !== undefined && { crmId: id?.toString() ?? null }),
      ...(superior !== undefined && { reportsTo: above?.recordName ?? null }),
    },
  };
}

const listedFields = [
  'employeeNumber',
  'firstName',
  'lastName',
  'email',
  'phone',
  'department',
  'designation',
  'status',
  'dateOfJoining',
  'reportsTo',
  'crmId',
  'directoryId',
] as const satisfies readonly EmployeeField[];

async function superiorOf(number: string, employees: Employees, records: EmployeeRecords) {
  const known = await employees.find(number);
  if (known?.recordName) return { number: known.number, recordName: known.recordName };
  const record = await records.find(number);
  if (record) return { number: record.number, recordName: record.recordName };
  throw superiorFault('must be the number of an employee whom the employee records have');
}

const superiorFault = (detail: string): ServiceError =>
  new ServiceError('invalid-input', 'Nobody can report to this employee.', {
    faults: [{ pointer: '/reportsTo', detail }],
  });
