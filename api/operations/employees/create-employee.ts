import { createEmployee } from '../../../core/domain/employees/write-employee.ts';
import employeeRecordsSystem from '../../../core/integrations/employee-records/system.ts';
import { created, defineOperation, effectPending, idempotencyKeyOf } from '../../http/operation.ts';
import { NewEmployeeInput } from './employee-input.ts';
import { EmployeeResource, employeeResource } from './employee-resource.ts';
import { employeeStores } from './employee-stores.ts';

export default defineOperation({
  summary:
    'Create an employee in the employee records, then in the local list. Returns 409 if an employee has the number, or a current employee has the e-mail.',
  id: 'employees.createEmployee',
  route: 'POST /apps/employees/v1/employees',
  scope: 'employees:write',
  idempotent: true,
  request: { body: NewEmployeeInput },
  answers: { 201: { description: 'The employee.', schema: EmployeeResource, headers: ['Location'] } },
  calls: [employeeRecordsSystem],
  problems: { conflict: 'An employee has the number, or a current employee the e-mail address.', ...effectPending },
  async handle({ body }, call) {
    const { services, client } = call;
    const stores = { ...employeeStores(services), effects: services.effects };
    const employee = await createEmployee(stores, `${client.clientId}:${idempotencyKeyOf(call)}`, body);
    const path = `/apps/employees/v1/employees/${encodeURIComponent(employee.number)}`;
    return created(call, path, employeeResource(employee));
  },
});
