import type { EmployeeStores } from '../../../core/domain/employees/employee-record.ts';
import { createEmployeeViews } from '../../../core/domain/employees/repository.ts';
import employeeRecordsSystem from '../../../core/integrations/employee-records/system.ts';
import type { ApiServices } from '../../services.ts';

/** @throws ServiceError system-not-configured */
export const employeeStores = ({ systems, database }: ApiServices): EmployeeStores => ({
  records: employeeRecordsSystem.client(systems),
  employees: createEmployeeViews(database),
});
