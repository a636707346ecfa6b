/** One employee of the list, made anew after their record was created or changed. */
import type { Employee } from '../systems/employee-records/employee.ts';
import type { EmployeeField, ListedEmployee } from './employee.ts';
import { asListed, saidByRecord } from './merge.ts';

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
