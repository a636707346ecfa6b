/** Finds the record of an employee, and checks changes against the other records. */
import type { EmployeeChange } from '../../integrations/employee-records/employee.ts';
import type { EmployeeRecords } from '../../integrations/employee-records/system.ts';
import { ServiceError } from '../../runtime/errors.ts';
import type { Employees } from './repository.ts';

/** The employee records, and the local list that follows them. */
export interface EmployeeStores {
  records: EmployeeRecords;
  employees: Employees;
}

export const employeeNotFound = (number: string): ServiceError =>
  new ServiceError('not-found', `There is no employee ${number}.`);

export type EmployeeWithRecord = Awaited<ReturnType<typeof findEmployeeWithRecord>>;

/**
 * @returns `known` is undefined for an employee created in the records since the last resync
 * @throws ServiceError not-found; conflict when the employee has no record
 */
export async function findEmployeeWithRecord(id: string, { employees, records }: EmployeeStores) {
  const known = await employees.find(id);
  if (known?.recordName) return { known, number: known.number, recordName: known.recordName };
  const record = await records.find(id);
  if (record) return { known: undefined, number: record.number, recordName: record.recordName };
  if (!known) throw employeeNotFound(id);
  throw new ServiceError(
    'conflict',
    `Employee ${id} exists in the identity directory only and has no employee record; POST creates one.`,
  );
}

/**
 * Employees who have left may return with the same e-mail and a new record.
 * @param recordName the changed record; undefined: a new employee
 * @throws ServiceError conflict
 */
export async function rejectDuplicate(
  records: EmployeeRecords,
  { employeeNumber, email, status }: EmployeeChange,
  recordName?: string,
): Promise<void> {
  const sameNumber = employeeNumber ? await records.find(employeeNumber) : undefined;
  if (sameNumber && sameNumber.recordName !== recordName)
    throw new ServiceError('conflict', `Another employee has the employee number ${employeeNumber}.`);
  if (!email || (recordName === undefined && status === 'Left')) return;
  const sameEmail = (await records.findByEmail(email)).find(
    record => record.status !== 'Left' && record.recordName !== recordName,
  );
  if (sameEmail) throw new ServiceError('conflict', `Employee ${sameEmail.number} has this e-mail address.`);
}
