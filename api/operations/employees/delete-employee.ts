import { createEmployeeViews, type Employees } from '../../../core/domain/employees/repository.ts';
import employeeRecordsSystem from '../../../core/integrations/employee-records/system.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { defineOperation } from '../../http/operation.ts';
import { findEmployeeWithRecord } from './employee-record.ts';
import { EmployeeParams } from './employee-resource.ts';

/** Reports that an error message lists. */
const maxListed = 20;

export default defineOperation({
  summary:
    'Delete an employee from the employee records, then from the local list. Returns 409 with the numbers of employees who report to them.',
  id: 'employees.deleteEmployee',
  method: 'DELETE',
  path: '/apps/employees/v1/employees/{number}',
  scope: 'employees:write',
  request: { params: EmployeeParams },
  answers: { 204: { description: 'The employee is deleted.' } },
  async handle({ params }, { services }) {
    const records = employeeRecordsSystem.client(services.systems);
    const employees = createEmployeeViews(services.database);
    const { recordName, number } = await findEmployeeWithRecord(params.number, { employees, records });
    await records.delete(recordName).catch(async error => {
      throw await withReports(error, employees, number);
    });
    await employees.remove(number, recordName);
    return { status: 204 };
  },
});

async function withReports(error: unknown, employees: Employees, number: string): Promise<unknown> {
  if (!(error instanceof ServiceError) || error.code !== 'conflict') return error;
  const found = await employees.list({ reportsTo: number }, { after: '', limit: maxListed + 1 });
  if (found.length === 0) return error;
  const numbers = found.slice(0, maxListed).map(employee => employee.number);
  const more = found.length > maxListed ? ' and more' : '';
  return new ServiceError(
    'conflict',
    `Employees report to employee ${number}: ${numbers.join(', ')}${more}. Change their \`reportsTo\`, or delete them first.`,
    { cause: error },
  );
}
