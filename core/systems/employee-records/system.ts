/** The system in which the firm keeps its employees. */
import { defineSystem } from '../system.ts';
import { openEmployeeRecords } from './client.ts';
import { EmployeeRecordsConfig } from './config.ts';

export default defineSystem({
  name: 'employee-records',
  title: 'The employee records system',
  config: EmployeeRecordsConfig,
  configuredBy: 'EMPLOYEES_URL',
  sandbox: base => ({
    EMPLOYEES_URL: base,
    EMPLOYEES_API_KEY: 'sandbox',
    EMPLOYEES_API_SECRET: 'sandbox',
    EMPLOYEES_COMPANY: 'Meridian Palm',
    EMPLOYEES_COMPANY_ABBREVIATION: 'MP',
    EMPLOYEES_CRM_ID_FIELD: 'custom_crm_id',
    EMPLOYEES_DIRECTORY_ID_FIELD: 'custom_directory_id',
  }),
  open: openEmployeeRecords,
  probe: records => records.count(),
});
