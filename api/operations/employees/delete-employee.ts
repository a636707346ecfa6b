import { z } from 'zod';
import { deleteEmployee } from '../../../core/domain/employees/delete-employee.ts';
import { OnLinked } from '../../../core/domain/employees/employee-view.ts';
import employeeRecordsSystem from '../../../core/integrations/employee-records/system.ts';
import { defineOperation } from '../../http/operation.ts';
import { relievingDateField } from './employee-input.ts';
import { EmployeeParams, EmployeeResource, employeeResource } from './employee-resource.ts';
import { employeeStores } from './employee-stores.ts';

export default defineOperation({
  summary:
    'Delete an employee from the employee records, then from the local list. Returns 409 with the linked document if other documents in the records link to the employee, and with the numbers of employees who report to them.',
  id: 'employees.deleteEmployee',
  route: 'DELETE /apps/employees/v1/employees/{number}',
  scope: 'employees:write',
  request: {
    params: EmployeeParams,
    query: z.object({
      onLinked: OnLinked.default('refuse').describe(
        'If other documents link to the employee: `refuse` returns 409, `set-left` sets the status Left instead.',
      ),
      relievingDate: relievingDateField,
    }),
  },
  answers: {
    200: {
      description: 'Other documents link to the employee, who is now Left (`onLinked=set-left`).',
      schema: EmployeeResource,
    },
    204: { description: 'The employee is deleted.' },
  },
  calls: [employeeRecordsSystem],
  problems: { conflict: 'Other documents link to the employee, or the employee has no record.' },
  async handle({ params, query }, { services }) {
    const left = await deleteEmployee(employeeStores(services), params.number, query);
    return left ? { status: 200, body: employeeResource(left) } : { status: 204 };
  },
});
