/** One employee of the list, made anew after their record was created or changed. */
import type { Employee } from '../../integrations/employee-records/employee.ts';
import { toE164 } from '../../values/phone-number.ts';
import type { EmployeeField, ListedEmployee } from './employee.ts';

/** What a system says of an employee; null: nothing. */
export type Said = { [F in EmployeeField]: ListedEmployee[F] | null };

/** Whom the references of the records and of the directory mean, by their numbers. */
export interface Managers {
  ofRecord(recordName: string | null): string | null;
  ofUser(id: string | null): string | null;
}

/** What the caller said of fields that a record may have no place for, or names in another way. */
export type Given = Partial<Pick<ListedEmployee, 'reportsTo' | 'crmId' | 'directoryId'>>;

export function listedRecord(record: Employee, given: Given): ListedEmployee {
  const said = saidByRecord(record, { ofRecord: () => given.reportsTo ?? null });
  return asListed(record.number, record.recordName, { ...said, ...given });
}

/**
 * Takes over what was changed, and leaves what the directory and the CRM own as the last resync found it.
 * @param fields those that were changed
 */
export function withChanges(
  known: ListedEmployee,
  record: Employee,
  fields: readonly EmployeeField[],
  given: Given,
): ListedEmployee {
  const now = listedRecord(record, given);
  const changes = Object.fromEntries(fields.map(field => [field, now[field]]));
  const number = fields.includes('employeeNumber') ? now.number : known.number;
  return { ...known, ...changes, number };
}

export const asListed = (number: string, recordName: string | null, said: Said): ListedEmployee => ({
  ...said,
  number,
  recordName,
  firstName: said.firstName ?? '',
  status: said.status ?? 'Inactive',
});

export function saidByRecord(record: Employee, managers: Pick<Managers, 'ofRecord'>): Said {
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

/** The first that is a phone number, so that one is one however it is spelled. */
export function phoneOf(written: readonly (string | null)[]): string | null {
  for (const text of written) {
    const phone = text === null ? undefined : toE164(text);
    if (phone !== undefined) return phone;
  }
  return null;
}
