import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { employeeView } from '../../../core/domain/employees/employee-view.ts';
import { createEmployeeViews } from '../../../core/domain/employees/repository.ts';
import type { EmployeeRecords } from '../../../core/integrations/employee-records/system.ts';
import type { Employee, NewEmployee } from '../../../core/integrations/employee-records/employee.ts';
import employeeRecordsSystem from '../../../core/integrations/employee-records/system.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { defineOperation } from '../../http/operation.ts';
import { forRecords, NewEmployeeInput } from './employee-input.ts';
import { EmployeeResource, employeeResource, personal } from './employee-resource.ts';

export default defineOperation({
  summary:
    'Create an employee: in the employee records, then in the local list. A number, or the e-mail of somebody who works here, that is there already is answered with 409.',
  id: 'employees.createEmployee',
  method: 'POST',
  path: '/apps/employees/v1/employees',
  scope: 'employees:write',
  idempotent: true,
  request: { body: NewEmployeeInput },
  answers: { 201: { description: 'The employee.', schema: EmployeeResource } },
  async handle({ body }, { services, client, request }) {
    const records = employeeRecordsSystem.client(services.systems);
    const employees = createEmployeeViews(services.database);
    const { change, given } = await forRecords(body, { employees, records });
    const employee: NewEmployee = { ...change, firstName: body.firstName };
    const key = request.headers['idempotency-key']?.toString() ?? randomUUID();
    const { result } = await services.effects.once({
      key: `employee-created:${client.clientId}:${key}`,
      kind: 'employee-created',
      system: 'employee-records',
      result: z.object({ recordName: z.string() }),
      find: () => lookUp(records, employee),
      execute: async () => {
        await refuseDuplicate(records, employee);
        return { recordName: (await records.create(employee)).recordName };
      },
    });
    const record = await records.get(result.recordName);
    if (!record) throw new ServiceError('conflict', 'The employee was created, and has been deleted since.');
    const listed = employeeView(record, given);
    await employees.put(listed);
    return {
      status: 201,
      headers: {
        ...personal,
        location: `${services.config.BASE_PATH}/apps/employees/v1/employees/${encodeURIComponent(listed.number)}`,
      },
      body: employeeResource(listed),
    };
  },
});

/** Whoever has left may come back with the same e-mail, and gets a record of their own. */
async function refuseDuplicate(records: EmployeeRecords, employee: NewEmployee): Promise<void> {
  const { employeeNumber, email } = employee;
  if (employeeNumber && (await records.find(employeeNumber)))
    throw new ServiceError(
      'conflict',
      `The employee records have the employee number ${employeeNumber} already.`,
    );
  if (!email || employee.status === 'Left') return;
  const same = (await records.findByEmail(email)).find(({ status }) => status !== 'Left');
  if (same) throw new ServiceError('conflict', `Employee ${same.number} has this e-mail already.`);
}

/** What an earlier try, whose end nobody knows, may have created. */
async function lookUp(records: EmployeeRecords, employee: NewEmployee) {
  const { employeeNumber, email } = employee;
  const found = employeeNumber
    ? [await records.find(employeeNumber)]
    : await (email ? records.findByEmail(email) : records.all());
  const same = found.find(record => record && isSame(record, employee));
  return same && { recordName: same.recordName };
}

const isSame = (
  record: Employee,
  { firstName, lastName, dateOfBirth, dateOfJoining }: NewEmployee,
): boolean =>
  record.firstName === firstName &&
  record.lastName === (lastName ?? null) &&
  record.dateOfBirth === dateOfBirth &&
  record.dateOfJoining === dateOfJoining;
