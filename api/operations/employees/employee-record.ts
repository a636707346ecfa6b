/** Finds the record that a request is about. */

import type { EmployeeView } from '../../../core/domain/employees/employee-view.ts';
import type { Employees } from '../../../core/domain/employees/repository.ts';
import type { EmployeeRecords } from '../../../core/integrations/employee-records/system.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { noEmployee } from './employee-resource.ts';

export interface OnRecord {
  /** Undefined: made in the records since the last resync. */
  known: EmployeeView | undefined;
  number: string;
  recordName: string;
}

/** @throws ServiceError not-found; conflict when the employee has no record */
export async function onRecord(
  asked: string,
  { employees, records }: { employees: Employees; records: EmployeeRecords },
): Promise<OnRecord> {
  const known = await employees.find(asked);
  if (known?.recordName) return { known, number: known.number, recordName: known.recordName };
  const record = await records.find(asked);
  if (record) return { known: undefined, number: record.number, recordName: record.recordName };
  if (!known) throw noEmployee(asked);
  throw new ServiceError(
    'conflict',
    `Employee ${asked} is known from the identity directory only. The employee records have no record of them; POST creates one.`,
  );
}
