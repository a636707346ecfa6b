import { employeeNotFound } from '../../../core/domain/employees/employee-record.ts';
import { createEmployeeViews, employeesStateKind } from '../../../core/domain/employees/repository.ts';
import { createSyncStates } from '../../../core/sync/states.ts';
import { defineOperation } from '../../http/operation.ts';
import { asOfField, EmployeeParams, EmployeeResource, employeeExample, employeeResource } from './employee-resource.ts';

export default defineOperation({
  summary: 'Get an employee from the local list.',
  id: 'employees.getEmployee',
  route: 'GET /apps/employees/v1/employees/{number}',
  scope: 'employees:read',
  request: { params: EmployeeParams },
  answers: {
    200: {
      description: 'The employee.',
      schema: EmployeeResource.extend({ asOf: asOfField }),
      example: { ...employeeExample, asOf: '2026-01-31T02:00:00.000Z' },
    },
  },
  async handle({ params: { number } }, { services: { database } }) {
    const employee = await createEmployeeViews(database).find(number);
    if (!employee) throw employeeNotFound(number);
    const state = await createSyncStates(database).read(employeesStateKind);
    return { status: 200, body: { ...employeeResource(employee), asOf: state?.asOf ?? null } };
  },
});
