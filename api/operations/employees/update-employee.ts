import {
  applyChanges,
  type EmployeeView,
  employeeView,
} from '../../../core/domain/employees/employee-view.ts';
import { createEmployeeViews, type Employees } from '../../../core/domain/employees/repository.ts';
import type { EmployeeRecords } from '../../../core/integrations/employee-records/system.ts';
import type { EmployeeChange } from '../../../core/integrations/employee-records/employee.ts';
import employeeRecordsSystem from '../../../core/integrations/employee-records/system.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { defineOperation } from '../../http/operation.ts';
import { EmployeeChangeInput, forRecords } from './employee-input.ts';
import { onRecord } from './employee-record.ts';
import {
  EmployeeParams,
  EmployeeResource,
  employeeResource,
  noEmployee,
  personal,
} from './employee-resource.ts';

export default defineOperation({
  summary:
    'Change some fields of an employee: in the employee records, then in the local list. Null empties a field; what is not named stays.',
  id: 'employees.updateEmployee',
  method: 'PATCH',
  path: '/apps/employees/v1/employees/{number}',
  scope: 'employees:write',
  request: { params: EmployeeParams, body: EmployeeChangeInput },
  answers: { 200: { description: 'The employee as they are now.', schema: EmployeeResource } },
  async handle({ params, body }, { services }) {
    const records = employeeRecordsSystem.client(services.systems);
    const employees = createEmployeeViews(services.database);
    const { known, recordName, number } = await onRecord(params.number, { employees, records });
    const { change, given, listed } = await forRecords(body, { employees, records }, number);
    await refuseDuplicate(records, recordName, change);
    const record = await records.update(recordName, change);
    if (!record) throw await gone(employees, number, recordName);
    const now: EmployeeView = known
      ? applyChanges(known, record, listed, given)
      : employeeView(record, given);
    await employees.put(now);
    return { status: 200, headers: personal, body: employeeResource(now) };
  },
});

async function refuseDuplicate(
  records: EmployeeRecords,
  recordName: string,
  { employeeNumber, email }: EmployeeChange,
): Promise<void> {
  const other = employeeNumber ? await records.find(employeeNumber) : undefined;
  if (other && other.recordName !== recordName)
    throw new ServiceError('conflict', `Another employee has the employee number ${employeeNumber} already.`);
  const same = email ? await records.findByEmail(email) : [];
  const owner = same.find(record => record.status !== 'Left' && record.recordName !== recordName);
  if (owner) throw new ServiceError('conflict', `Employee ${owner.number} has this e-mail already.`);
}

async function gone(employees: Employees, number: string, recordName: string): Promise<ServiceError> {
  await employees.remove(number, recordName);
  return noEmployee(number);
}
