/** Creates and changes an employee in the employee records, then in the local list. */
import { z } from 'zod';
import type { Effects } from '../../effects/ledger.ts';
import type { Employee, NewEmployee } from '../../integrations/employee-records/employee.ts';
import type { EmployeeRecords } from '../../integrations/employee-records/system.ts';
import { ServiceError } from '../../runtime/errors.ts';
import { type EmployeeStores, employeeNotFound, findEmployeeWithRecord, rejectDuplicate } from './employee-record.ts';
import { applyChanges, type EmployeeView, employeeView } from './employee-view.ts';
import { type RequestedChange, toRecordChange } from './record-change.ts';

/**
 * Creates one record for each key, also when an earlier attempt ended without an answer.
 * @param key identifies the request, such as client and `Idempotency-Key`
 * @throws ServiceError conflict when an employee has the number or the e-mail address
 */
export async function createEmployee(
  stores: EmployeeStores & { effects: Effects },
  key: string,
  request: RequestedChange & Pick<NewEmployee, 'firstName'>,
): Promise<EmployeeView> {
  const { records, employees, effects } = stores;
  const { change, given } = await toRecordChange(request, stores);
  const employee: NewEmployee = { ...change, firstName: request.firstName };
  const { result } = await effects.once({
    key: `employee-created:${key}`,
    kind: 'employee-created',
    system: 'employee-records',
    result: z.object({ recordName: z.string() }),
    find: () => findCreated(records, employee),
    execute: async () => {
      await rejectDuplicate(records, employee);
      return { recordName: (await records.create(employee)).recordName };
    },
  });
  const record = await records.get(result.recordName);
  if (!record) throw new ServiceError('conflict', 'The employee was created, but has been deleted since.');
  const listed = employeeView(record, given);
  await employees.put(listed);
  return listed;
}

/** The record that an earlier attempt with an unknown outcome may have created. */
async function findCreated(records: EmployeeRecords, employee: NewEmployee) {
  const { employeeNumber, email } = employee;
  const found = employeeNumber
    ? [await records.find(employeeNumber)]
    : await (email ? records.findByEmail(email) : records.all());
  const same = found.find(record => record && isSame(record, employee));
  return same && { recordName: same.recordName };
}

const isSame = (record: Employee, { firstName, lastName, dateOfBirth, dateOfJoining }: NewEmployee): boolean =>
  record.firstName === firstName &&
  record.lastName === (lastName ?? null) &&
  record.dateOfBirth === dateOfBirth &&
  record.dateOfJoining === dateOfJoining;

/**
 * An employee whose record was deleted leaves the list as well.
 * @throws ServiceError not-found; conflict when another employee has the number or the e-mail address
 */
export async function updateEmployee(
  stores: EmployeeStores,
  id: string,
  request: RequestedChange,
): Promise<EmployeeView> {
  const { records, employees } = stores;
  const { known, recordName, number } = await findEmployeeWithRecord(id, stores);
  const { change, given, listed } = await toRecordChange(request, stores, number);
  await rejectDuplicate(records, change, recordName);
  const record = await records.update(recordName, change);
  if (!record) {
    await employees.remove(number, recordName);
    throw employeeNotFound(number);
  }
  const changed = known ? applyChanges(known, record, listed, given) : employeeView(record, given);
  await employees.put(changed);
  return changed;
}
