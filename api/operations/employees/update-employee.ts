import { updateEmployee } from '../../../core/domain/employees/write-employee.ts';
import employeeRecordsSystem from '../../../core/integrations/employee-records/system.ts';
import { defineOperation } from '../../http/operation.ts';
import { EmployeeChangeInput } from './employee-input.ts';
import { EmployeeParams, EmployeeResource, employeeResource } from './employee-resource.ts';
import { employeeStores } from './employee-stores.ts';

export default defineOperation({
  summary:
    'Change fields of an employee in the employee records, then in the local list. Null clears a field; omitted fields are not changed.',
  id: 'employees.updateEmployee',
  route: 'PATCH /apps/employees/v1/employees/{number}',
  scope: 'employees:write',
  request: { params: EmployeeParams, body: EmployeeChangeInput },
  answers: { 200: { description: 'The employee after the change.', schema: EmployeeResource } },
  calls: [employeeRecordsSystem],
  problems: { conflict: 'Another employee has the number or the e-mail address, or the employee has no record.' },
  async handle({ params, body }, { services }) {
    const employee = await updateEmployee(employeeStores(services), params.number, body);
    return { status: 200, body: employeeResource(employee) };
  },
});
