/** Address and credentials of the employee records, and the firm's own fields in them. */
import { z } from 'zod';
import { httpUrl } from '../../runtime/config.ts';

const fieldName = z.string().regex(/^[a-z][a-z0-9_]*$/, 'must be a field name, such as custom_crm_id');

export const EmployeeRecordsConfig = z.object({
  EMPLOYEE_RECORDS_URL: httpUrl
    .optional()
    .describe('The employee records (ERPNext), such as https://erp.example.com; unset: not configured.'),
  EMPLOYEE_RECORDS_API_KEY: z.string().default('').describe('API key of a user of the employee records.'),
  EMPLOYEE_RECORDS_API_SECRET: z.string().default('').describe('Its API secret.'),
  EMPLOYEE_RECORDS_COMPANY: z
    .string()
    .default('')
    .describe('Company of new employees, by its name in the employee records.'),
  EMPLOYEE_RECORDS_COMPANY_ABBREVIATION: z
    .string()
    .default('')
    .describe('Its abbreviation, which ends the names of departments there: MP for “Leasing - MP”.'),
  EMPLOYEE_RECORDS_CRM_ID_FIELD: fieldName
    .optional()
    .describe('Custom field for the employee’s CRM id; unset: not stored there.'),
  EMPLOYEE_RECORDS_DIRECTORY_ID_FIELD: fieldName
    .optional()
    .describe('Custom field for the employee’s id in the identity directory; unset: not stored there.'),
});

export type EmployeeRecordsConfig = z.infer<typeof EmployeeRecordsConfig>;
