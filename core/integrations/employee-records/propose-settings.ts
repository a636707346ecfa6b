/** Proposes the settings for the company and the firm's own fields. Reads only. */
import { z } from 'zod';
import type { SystemHttp } from '../kit/http.ts';
import { settingLine } from '../kit/proposal.ts';
import { UpstreamError } from '../kit/upstream-error.ts';
import type { EmployeeRecordsConfig } from './config.ts';

const Companies = z.object({ data: z.array(z.object({ name: z.string(), abbr: z.string().nullish() })) });
const CustomFields = z.object({
  data: z.array(z.object({ fieldname: z.string(), label: z.string().nullish(), fieldtype: z.string() })),
});
type CustomField = z.output<typeof CustomFields>['data'][number];

/** Types of Frappe whose values the ids are stored in. */
const types = ['Data', 'Int', 'Small Text'];
const fieldsNeeded = [
  { setting: 'EMPLOYEE_RECORDS_CRM_ID_FIELD', words: /crm|bitrix/i },
  { setting: 'EMPLOYEE_RECORDS_DIRECTORY_ID_FIELD', words: /directory|jumpcloud|ldap/i },
] as const;

/** @returns lines for `.env`, with the alternatives in comments @throws UpstreamError */
export async function proposeSettings(http: SystemHttp, config: EmployeeRecordsConfig): Promise<string[]> {
  return [...(await companyLines(http, config)), '', ...(await fieldLines(http))];
}

async function companyLines(
  http: SystemHttp,
  { EMPLOYEE_RECORDS_COMPANY: configured }: EmployeeRecordsConfig,
): Promise<string[]> {
  const query = { fields: JSON.stringify(['name', 'abbr']), limit_page_length: 0 };
  const { data: companies } = await http.get('/api/resource/Company', Companies, query);
  const company =
    companies.find(({ name }) => name === configured) ?? (companies.length === 1 ? companies[0] : undefined);
  return [
    `# Companies: ${companies.map(({ name }) => JSON.stringify(name)).join(', ') || 'none'}.`,
    settingLine('EMPLOYEE_RECORDS_COMPANY', company?.name),
    settingLine('EMPLOYEE_RECORDS_COMPANY_ABBREVIATION', company?.abbr ?? undefined),
  ];
}

async function fieldLines(http: SystemHttp): Promise<string[]> {
  const fields = await customFields(http);
  if (!fields)
    return [
      '# The user may not read the document type Custom Field: Customize Form > Employee shows the fields.',
      ...fieldsNeeded.map(({ setting }) => settingLine(setting, undefined)),
    ];
  return [
    '# Custom fields of employees:',
    ...fields.map(
      ({ fieldname, label, fieldtype }) => `#   ${fieldname} ${JSON.stringify(label ?? '')} (${fieldtype})`,
    ),
    ...fieldsNeeded.map(({ setting, words }) => {
      const fitting = fields.find(
        ({ fieldname, label, fieldtype }) =>
          types.includes(fieldtype) && (words.test(label ?? '') || words.test(fieldname)),
      );
      return settingLine(setting, fitting?.fieldname);
    }),
  ];
}

/** @returns undefined when the user may not list them, which the role HR Manager alone does not allow */
async function customFields(http: SystemHttp): Promise<CustomField[] | undefined> {
  const query = {
    fields: JSON.stringify(['fieldname', 'label', 'fieldtype']),
    filters: JSON.stringify([['dt', '=', 'Employee']]),
    limit_page_length: 0,
  };
  try {
    return (await http.get('/api/resource/Custom%20Field', CustomFields, query)).data;
  } catch (error) {
    if (error instanceof UpstreamError && error.failure.status === 403) return undefined;
    throw error;
  }
}
