import { z } from 'zod';
import { employeeView } from '../../../core/domain/employees/employee-view.ts';
import { createEmployeeViews } from '../../../core/domain/employees/repository.ts';
import type { Employee, NewEmployee } from '../../../core/integrations/employee-records/employee.ts';
import employeeRecordsSystem, { type EmployeeRecords } from '../../../core/integrations/employee-records/system.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { created, defineOperation, effectPending, idempotencyKeyOf } from '../../http/operation.ts';
import { NewEmployeeInput, toRecordChange } from './employee-input.ts';
import { rejectDuplicate } from './employee-record.ts';
import { EmployeeResource, employeeResource } from './employee-resource.ts';

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
    const records = employeeRecordsSystem.client(services.systems);
    const employees = createEmployeeViews(services.database);
    const { change, given } = await toRecordChange(body, { employees, records });
    const employee: NewEmployee = { ...change, firstName: body.firstName };
    const { result } = await services.effects.once({
      key: `employee-created:${client.clientId}:${idempotencyKeyOf(call)}`,
      kind: 'employee-created',
      system: 'employee-records',
      result: z.object({ recordName: z.string() }),
      find: () => findCreated(records, employee),
      execute: async () => {
        await rejectDuplicate(records, employee);
        return { recordName: (await records.create(employee)).recordName };
      },
    });
    const record = await records.get(result.recordName);
    if (!record) throw new ServiceError('conflict', 'The employee was created, but has been deleted since.');
    const listed = employeeView(record, given);
    await employees.put(listed);
    const path = `/apps/employees/v1/employees/${encodeURIComponent(listed.number)}`;
    return created(call, path, employeeResource(listed));
  },
});

/** The record that an earlier attempt with an unknown outcome may have created. */
async function findCreated(records: EmployeeRecords, employee: NewEmployee) {
  const { employeeNumber, email } = employee;
  const found = employeeNumber
    ? [await records.find(employeeNumber)]
    : await (email ? records.findByEmail(email) : records.all());
  const same = found.find(record => record && isSame(record, employee));
  return same && { recordName: same.recordName };
}

const isSame = (record: Employee, { firstName, lastName, dateOfBirth, dateOfJoining }: NewEmployee): boolean =>
  record.firstName === firstName &&
  record.lastName === (lastName ?? null) &&
  record.dateOfBirth === dateOfBirth &&
  record.dateOfJoining === dateOfJoining;
