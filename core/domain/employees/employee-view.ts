/** An employee in the local list: only the fields that the API returns. */
import { z } from 'zod';
import { type Employee, type EmployeeChange, EmployeeStatus } from '../../integrations/employee-records/employee.ts';
import { dubaiDayOf } from '../../values/dubai-time.ts';
import { toE164 } from '../../values/phone-number.ts';

const text = z.string().nullable();

export const EmployeeView = z.object({
  /** Unique; the record name also if several records share the employee number. */
  number: z
    .string()
    .describe('The id in paths: the employee number, or the name of the record of an employee without number.'),
  /** The record's key in the employee records; null if only the identity directory has the employee. */
  recordName: text,
  employeeNumber: text.describe('Number given by the company.'),
  firstName: z.string().describe('First name.'),
  lastName: text.describe('Last name.'),
  email: text.describe('Company address, in lower case.'),
  phone: text.describe('E.164.'),
  department: text.describe('Department.'),
  designation: text.describe('Position.'),
  status: EmployeeStatus.describe('Whether the employee works for the company.'),
  dateOfJoining: text.describe('A date.'),
  reportsTo: text.describe('The `number` of the manager.'),
  crmId: z.int().nullable().describe('The user’s id in the CRM.'),
  directoryId: text.describe('The user’s id in the identity directory.'),
});
export type EmployeeView = z.infer<typeof EmployeeView>;

export const EmployeeField = EmployeeView.omit({ number: true, recordName: true }).keyof();
export type EmployeeField = z.infer<typeof EmployeeField>;

/** The fields of an employee in one system; null: the system has no value. */
export type SourceFields = { [F in EmployeeField]: EmployeeView[F] | null };

/** Resolves references to managers to their numbers. */
export interface Managers {
  ofRecord(recordName: string | null): string | null;
  ofUser(id: string | null): string | null;
}

/** Fields of a request that the record does not store, or stores as another kind of reference. */
export type CallerFields = Partial<Pick<EmployeeView, 'reportsTo' | 'crmId' | 'directoryId'>>;

export function employeeView(record: Employee, given: CallerFields): EmployeeView {
  const fields = fieldsOfRecord(record, { ofRecord: () => given.reportsTo ?? null });
  return toView(record.number, record.recordName, { ...fields, ...given });
}

/**
 * Updates the changed fields only: the others may come from the directory or the CRM.
 * @param fields the changed fields
 */
export function applyChanges(
  known: EmployeeView,
  record: Employee,
  fields: readonly EmployeeField[],
  given: CallerFields,
): EmployeeView {
  const now = employeeView(record, given);
  const changes = Object.fromEntries(fields.map(field => [field, now[field]]));
  const number = fields.includes('employeeNumber') ? now.number : known.number;
  return { ...known, ...changes, number };
}

export const toView = (number: string, recordName: string | null, fields: SourceFields): EmployeeView => ({
  ...fields,
  number,
  recordName,
  firstName: fields.firstName ?? '',
  status: fields.status ?? 'Inactive',
});

export function fieldsOfRecord(record: Employee, managers: Pick<Managers, 'ofRecord'>): SourceFields {
  const crmId = Number(record.crmId ?? Number.NaN);
  return {
    employeeNumber: record.employeeNumber,
    firstName: record.firstName || null,
    lastName: record.lastName,
    email: record.email?.toLowerCase() ?? null,
    phone: phoneOf([record.phone]),
    department: record.department,
    designation: record.designation,
    status: record.status,
    dateOfJoining: record.dateOfJoining,
    reportsTo: managers.ofRecord(record.reportsTo),
    crmId: Number.isSafeInteger(crmId) ? crmId : null,
    directoryId: record.directoryId,
  };
}

/** The first text that is a phone number, in E.164. */
export const phoneOf = (texts: readonly (string | null)[]): string | null =>
  texts.flatMap(text => toE164(text ?? '') ?? [])[0] ?? null;

export const OnLinked = z.enum(['refuse', 'set-left'], { error: 'must be refuse or set-left' });
export type OnLinked = z.infer<typeof OnLinked>;

/** The change that sets an employee to Left; by default on the day that the record already has, else today. */
export const leavingChange = (
  { relievingDate }: Pick<Employee, 'relievingDate'>,
  given: string | undefined,
): EmployeeChange & { relievingDate: string } => ({
  status: 'Left',
  relievingDate: given ?? relievingDate ?? dubaiDayOf(new Date()),
});
