import { createEmployeeViews } from '../../../core/domain/employees/repository.ts';
import { defineOperation } from '../../http/operation.ts';
import {
  asOfEmployees,
  asOfField,
  EmployeeParams,
  EmployeeResource,
  employeeAt,
  employeeExample,
  employeeResource,
  personal,
} from './employee-resource.ts';

export default defineOperation({
  summary: 'One employee, from the local list.',
  id: 'employees.getEmployee',
  method: 'GET',
  path: '/apps/employees/v1/employees/{number}',
  scope: 'employees:read',
  request: { params: EmployeeParams },
  answers: {
    200: {
      description: 'The employee.',
      schema: EmployeeResource.extend({ asOf: asOfField }),
      example: { ...employeeExample, asOf: '2026-01-31T02:00:00.000Z' },
    },
  },
  async handle({ params: { number } }, { services }) {
    const employee = await employeeAt(createEmployeeViews(services.database), number);
    const asOf = await asOfEmployees(services);
    return { status: 200, headers: personal, body: { ...employeeResource(employee), asOf } };
  },
});
