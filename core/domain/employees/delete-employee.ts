/** Deletes an employee from the employee records, then from the local list. */
import { EmployeeLinkedError } from '../../integrations/employee-records/rejection.ts';
import { ServiceError } from '../../runtime/errors.ts';
import {
  type EmployeeStores,
  type EmployeeWithRecord,
  employeeNotFound,
  findEmployeeWithRecord,
} from './employee-record.ts';
import { applyChanges, type EmployeeView, employeeView, leavingChange, type OnLinked } from './employee-view.ts';
import type { Employees } from './repository.ts';

/** Reports that an error message lists. */
const maxListed = 20;

/**
 * @returns the employee who is now Left because other documents link to the record; undefined: deleted
 * @throws ServiceError not-found; conflict when other documents link to the record, or employees report to the employee
 */
export async function deleteEmployee(
  stores: EmployeeStores,
  id: string,
  { onLinked, relievingDate }: { onLinked: OnLinked; relievingDate?: string | undefined },
): Promise<EmployeeView | undefined> {
  const { records, employees } = stores;
  const found = await findEmployeeWithRecord(id, stores);
  try {
    await records.delete(found.recordName);
  } catch (error) {
    if (!(error instanceof EmployeeLinkedError)) throw error;
    if (onLinked === 'refuse') throw await refusal(error, employees, found.number);
    return await setLeft(found, relievingDate, stores);
  }
  await employees.remove(found.number, found.recordName);
  return undefined;
}

async function setLeft(
  { known, number, recordName }: EmployeeWithRecord,
  relievingDate: string | undefined,
  { records, employees }: EmployeeStores,
): Promise<EmployeeView> {
  const before = await records.get(recordName);
  if (!before) throw employeeNotFound(number);
  const record = await records
    .update(recordName, leavingChange(before, relievingDate))
    .catch(async (error: unknown) => {
      const hasReports = error instanceof ServiceError && error.faults.some(({ pointer }) => pointer === '/status');
      throw (hasReports && (await reportsConflict(employees, number))) || error;
    });
  if (!record) throw employeeNotFound(number);
  const changed = known ? applyChanges(known, record, ['status'], {}) : employeeView(record, {});
  await employees.put(changed);
  return changed;
}

async function refusal(error: EmployeeLinkedError, employees: Employees, number: string) {
  const { linked, message } = error;
  const mayBeReport = linked === undefined || linked.doctype === 'Employee';
  const detail = `${message} Delete that document first, or send \`onLinked=set-left\` to set the employee to Left.`;
  return (
    (mayBeReport && (await reportsConflict(employees, number))) ||
    new ServiceError('conflict', detail, { cause: error })
  );
}

/** @returns undefined when no one in the local list reports to the employee */
async function reportsConflict(employees: Employees, number: string): Promise<ServiceError | undefined> {
  const found = await employees.list({ reportsTo: number }, { after: '', limit: maxListed + 1 });
  if (found.length === 0) return undefined;
  const numbers = found.slice(0, maxListed).map(employee => employee.number);
  const more = found.length > maxListed ? ' and more' : '';
  return new ServiceError(
    'conflict',
    `Employees report to employee ${number}: ${numbers.join(', ')}${more}. Change their \`reportsTo\`, or delete them first.`,
  );
}
