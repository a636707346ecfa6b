/** The system in which the firm keeps its employees. */
import { defineSystem } from '../kit/define-system.ts';
import { openEmployeeRecords } from './client.ts';
import { EmployeeRecordsConfig } from './config.ts';

export default defineSystem({
  name: 'employee-records',
  title: 'The employee records system',
  config: EmployeeRecordsConfig,
  configuredBy: 'EMPLOYEE_RECORDS_URL',
  sandbox: base => ({
    EMPLOYEE_RECORDS_URL: base,
    EMPLOYEE_RECORDS_API_KEY: 'sandbox',
    EMPLOYEE_RECORDS_API_SECRET: 'sandbox',
    EMPLOYEE_RECORDS_COMPANY: 'Meridian Palm',
    EMPLOYEE_RECORDS_COMPANY_ABBREVIATION: 'MP',
    EMPLOYEE_RECORDS_CRM_ID_FIELD: 'custom_crm_id',
    EMPLOYEE_RECORDS_DIRECTORY_ID_FIELD: 'custom_directory_id',
  }),
  open: openEmployeeRecords,
  probe: records => records.count(),
});
