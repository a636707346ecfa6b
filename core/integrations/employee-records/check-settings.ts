/** Compares the settings with the system's company and fields. Reads only. */
import { z } from 'zod';
import { type CheckFinding, failure, warning } from '../../runtime/finding.ts';
import type { SystemHttp } from '../kit/http.ts';
import { orUndefined, UpstreamError } from '../kit/upstream-error.ts';
import type { EmployeeRecordsConfig } from './config.ts';
import { employeesPath } from './wire.ts';

const Company = z.object({ data: z.object({ abbr: z.string().nullish() }) });
const fieldSettings = ['EMPLOYEE_RECORDS_CRM_ID_FIELD', 'EMPLOYEE_RECORDS_DIRECTORY_ID_FIELD'] as const;

/** @throws UpstreamError */
export async function checkSettings(http: SystemHttp, config: EmployeeRecordsConfig): Promise<CheckFinding[]> {
  const findings = await companyMistakes(http, config);
  for (const setting of fieldSettings) {
    const field = config[setting];
    if (field !== undefined && !(await hasField(http, field)))
      findings.push(
        failure(
          `${setting}: employees have no field ${field}`,
          'correct it, or create the custom field in the doctype Employee',
        ),
      );
  }
  return findings;
}

async function companyMistakes(http: SystemHttp, config: EmployeeRecordsConfig): Promise<CheckFinding[]> {
  const { EMPLOYEE_RECORDS_COMPANY: name, EMPLOYEE_RECORDS_COMPANY_ABBREVIATION: abbreviation } = config;
  if (name === '')
    return [warning('EMPLOYEE_RECORDS_COMPANY is not set: employees cannot be created', 'set it to the company')];
  const company = await orUndefined(http.get(`/api/resource/Company/${encodeURIComponent(name)}`, Company));
  if (!company) return [failure(`EMPLOYEE_RECORDS_COMPANY: there is no company ${name}`, 'correct it, also its case')];
  const { abbr } = company.data;
  if (!abbr || abbr === abbreviation) return [];
  return [
    failure(
      `EMPLOYEE_RECORDS_COMPANY_ABBREVIATION is not that of ${name}: departments do not match`,
      `set it to ${abbr}`,
    ),
  ];
}

/** The system rejects a list with an unknown field: 417 since version 14, 500 before. */
async function hasField(http: SystemHttp, field: string): Promise<boolean> {
  try {
    await http.get(employeesPath, z.object({ data: z.array(z.unknown()) }), {
      fields: JSON.stringify(['name', field]),
      limit_page_length: 1,
    });
    return true;
  } catch (error) {
    const { status = 0 } = error instanceof UpstreamError ? error.failure : {};
    if (status === 417 || status === 500) return false;
    throw error;
  }
}
