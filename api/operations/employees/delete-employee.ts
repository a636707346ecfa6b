import { createEmployeeViews, type Employees } from '../../../core/domain/employees/repository.ts';
import employeeRecordsSystem from '../../../core/integrations/employee-records/system.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { defineOperation } from '../../http/operation.ts';
import { onRecord } from './employee-record.ts';
import { EmployeeParams } from './employee-resource.ts';

/** As many are named in an answer. */
const named = 20;

export default defineOperation({
  summary:
    'Delete an employee: from the employee records, then from the local list. While others report to them it is answered with 409 that names these.',
  id: 'employees.deleteEmployee',
  method: 'DELETE',
  path: '/apps/employees/v1/employees/{number}',
  scope: 'employees:write',
  request: { params: EmployeeParams },
  answers: { 204: { description: 'The employee is deleted.' } },
  async handle({ params }, { services }) {
    const records = employeeRecordsSystem.client(services.systems);
    const employees = createEmployeeViews(services.database);
    const { recordName, number } = await onRecord(params.number, { employees, records });
    await records.delete(recordName).catch(async error => {
      throw await withNames(error, employees, number);
    });
    await employees.remove(number, recordName);
    return { status: 204 };
  },
});

async function withNames(error: unknown, employees: Employees, number: string): Promise<unknown> {
  if (!(error instanceof ServiceError) || error.code !== 'conflict') return error;
  const found = await employees.list({ reportsTo: number }, { after: '', limit: named + 1 });
  if (found.length === 0) return error;
  const numbers = found.slice(0, named).map(employee => employee.number);
  const more = found.length > named ? ' and more' : '';
  return new ServiceError(
    'conflict',
    `Others report to employee ${number}: ${numbers.join(', ')}${more}. Change their \`reportsTo\`, or delete them first.`,
    { cause: error },
  );
}
