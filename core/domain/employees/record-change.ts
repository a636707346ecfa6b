/** A requested change of an employee, translated for the employee records and for the local list. */
import type { EmployeeChange } from '../../integrations/employee-records/employee.ts';
import { invalidInput, type ServiceError } from '../../runtime/errors.ts';
import type { EmployeeStores } from './employee-record.ts';
import { type CallerFields, EmployeeField } from './employee-view.ts';

type Optional<T> = { [Name in keyof T]?: T[Name] | undefined };

/** With the number of the manager, and the id of the CRM as a number; absent fields do not change. */
export type RequestedChange = Optional<Omit<EmployeeChange, 'reportsTo' | 'crmId'>> & {
  reportsTo?: string | null | undefined;
  crmId?: number | null | undefined;
};

/**
 * The employee records identify managers by record name, and store ids of other systems as texts.
 * @param number of the changed employee; undefined: a new employee
 * @throws ServiceError invalid-input when the manager does not exist or reports to the employee
 */
export async function toRecordChange(
  { reportsTo: managerNumber, crmId: id, ...values }: RequestedChange,
  stores: EmployeeStores,
  number?: string,
) {
  const manager = managerNumber ? await findManager(managerNumber, stores) : undefined;
  if (manager && number !== undefined && (await stores.employees.isBelow(manager.number, number)))
    throw invalidManager('must not be the employee or a direct or indirect report of the employee');
  const reportsToNumber = managerNumber === undefined ? undefined : (manager?.number ?? null);
  const given: CallerFields = {
    ...(reportsToNumber !== undefined && { reportsTo: reportsToNumber }),
    ...(id !== undefined && { crmId: id }),
    ...(values.directoryId !== undefined && { directoryId: values.directoryId }),
  };
  const set = { ...values, ...given };
  const change: EmployeeChange = {
    ...values,
    ...(id !== undefined && { crmId: id?.toString() ?? null }),
    ...(managerNumber !== undefined && { reportsTo: manager?.recordName ?? null }),
  };
  return {
    change,
    /** Fields of the local list that come from the caller. */
    given,
    /** Fields of the local list that the request sets. */
    listed: EmployeeField.options.filter(field => set[field] !== undefined),
  };
}

async function findManager(number: string, { employees, records }: EmployeeStores) {
  const known = await employees.find(number);
  if (known?.recordName) return { number: known.number, recordName: known.recordName };
  const record = await records.find(number);
  if (record) return { number: record.number, recordName: record.recordName };
  throw invalidManager('must be the number of an employee in the employee records');
}

const invalidManager = (detail: string): ServiceError =>
  invalidInput([{ pointer: '/reportsTo', detail }], 'The manager is invalid.');
