import { z } from 'zod';
import { applyChanges, employeeView, leavingChange, OnLinked } from '../../../core/domain/employees/employee-view.ts';
import { createEmployeeViews, type Employees } from '../../../core/domain/employees/repository.ts';
import { EmployeeLinkedError } from '../../../core/integrations/employee-records/rejection.ts';
import employeeRecordsSystem, { type EmployeeRecords } from '../../../core/integrations/employee-records/system.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { defineOperation } from '../../http/operation.ts';
import { relievingDateField } from './employee-input.ts';
import { type EmployeeWithRecord, findEmployeeWithRecord } from './employee-record.ts';
import { EmployeeParams, EmployeeResource, employeeNotFound, employeeResource } from './employee-resource.ts';

/** Reports that an error message lists. */
const maxListed = 20;

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
  async handle({ params, query: { onLinked, relievingDate } }, { services }) {
    const records = employeeRecordsSystem.client(services.systems);
    const employees = createEmployeeViews(services.database);
    const found = await findEmployeeWithRecord(params.number, { employees, records });
    try {
      await records.delete(found.recordName);
    } catch (error) {
      if (!(error instanceof EmployeeLinkedError)) throw error;
      if (onLinked === 'refuse') throw await refusal(error, employees, found.number);
      const body = employeeResource(await setLeft(found, relievingDate, { records, employees }));
      return { status: 200, body };
    }
    await employees.remove(found.number, found.recordName);
    return { status: 204 };
  },
});

async function setLeft(
  { known, number, recordName }: EmployeeWithRecord,
  relievingDate: string | undefined,
  { records, employees }: { records: EmployeeRecords; employees: Employees },
) {
  const before = await records.get(recordName);
  if (!before) throw employeeNotFound(number);
  const record = await records
    .update(recordName, leavingChange(before, relievingDate))
    .catch(async (error: unknown) => {
      const hasReports = error instanceof ServiceError && error.faults.some(({ pointer }) => pointer === '/status');
      throw (hasReports && (await reportsConflict(employees, number))) || error;
    });
  if (!record) throw employeeNotFound(number);
  const changed = known ? applyChanges(known, record, ['status'], {}) : employeeView(record, {});
  await employees.put(changed);
  return changed;
}

async function refusal(error: EmployeeLinkedError, employees: Employees, number: string) {
  const { linked, message } = error;
  const mayBeReport = linked === undefined || linked.doctype === 'Employee';
  const detail = `${message} Delete that document first, or send \`onLinked=set-left\` to set the employee to Left.`;
  return (
    (mayBeReport && (await reportsConflict(employees, number))) ||
    new ServiceError('conflict', detail, { cause: error })
  );
}

/** @returns undefined when no one in the local list reports to the employee */
async function reportsConflict(employees: Employees, number: string): Promise<ServiceError | undefined> {
  const found = await employees.list({ reportsTo: number }, { after: '', limit: maxListed + 1 });
  if (found.length === 0) return undefined;
  const numbers = found.slice(0, maxListed).map(employee => employee.number);
  const more = found.length > maxListed ? ' and more' : '';
  return new ServiceError(
    'conflict',
    `Employees report to employee ${number}: ${numbers.join(', ')}${more}. Change their \`reportsTo\`, or delete them first.`,
  );
}
