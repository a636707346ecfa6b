import { applyChanges, type EmployeeView, employeeView } from '../../../core/domain/employees/employee-view.ts';
import { createEmployeeViews } from '../../../core/domain/employees/repository.ts';
import employeeRecordsSystem from '../../../core/integrations/employee-records/system.ts';
import { defineOperation } from '../../http/operation.ts';
import { EmployeeChangeInput, toRecordChange } from './employee-input.ts';
import { findEmployeeWithRecord, rejectDuplicate } from './employee-record.ts';
import { EmployeeParams, EmployeeResource, employeeNotFound, employeeResource } from './employee-resource.ts';

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
    const records = employeeRecordsSystem.client(services.systems);
    const employees = createEmployeeViews(services.database);
    const { known, recordName, number } = await findEmployeeWithRecord(params.number, { employees, records });
    const { change, given, listed } = await toRecordChange(body, { employees, records }, number);
    await rejectDuplicate(records, change, recordName);
    const record = await records.update(recordName, change);
    if (!record) {
      await employees.remove(number, recordName);
      throw employeeNotFound(number);
    }
    const changed: EmployeeView = known ? applyChanges(known, record, listed, given) : employeeView(record, given);
    await employees.put(changed);
    return { status: 200, body: employeeResource(changed) };
  },
});
