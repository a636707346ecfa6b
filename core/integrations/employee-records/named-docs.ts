/** Departments, designations and companies: an employee can only have such as exist. */
import { z } from 'zod';
import type { SystemHttp } from '../kit/http.ts';
import { UpstreamError } from '../kit/upstream-error.ts';
import type { EmployeeRecordsConfig } from './config.ts';
import type { EmployeeWire } from './wire.ts';

const Names = z.object({ data: z.array(z.object({ name: z.string() })) });

export function openNamedDocs(http: SystemHttp, config: EmployeeRecordsConfig, wire: EmployeeWire) {
  const resource = (doctype: string): string => `/api/resource/${doctype}`;

  async function names(doctype: string): Promise<string[]> {
    const query = { fields: '["name"]', order_by: 'name asc', limit_page_length: 0 };
    const { data } = await http.call({
      class: 'read',
      method: 'GET',
      path: resource(doctype),
      query,
      answer: Names,
    });
    return data.map(({ name }) => name);
  }

  /** A document's name is unique, so that another try finds it there. */
  async function add(doctype: string, json: Record<string, string>): Promise<void> {
    try {
      await http.call({ class: 'set', method: 'POST', path: resource(doctype), json, answer: z.unknown() });
    } catch (error) {
      if (!(error instanceof UpstreamError) || error.failure.status !== 409) throw error;
    }
  }

  return {
    /** Without the company's abbreviation. */
    departments: async (): Promise<string[]> =>
      (await names('Department')).map(name => wire.withoutSuffix(name) ?? name),
    designations: () => names('Designation'),
    companies: () => names('Company'),
    /** One that is there already is fine. */
    addDepartment: (name: string): Promise<void> =>
      add('Department', { department_name: name, company: config.EMPLOYEE_RECORDS_COMPANY }),
    addDesignation: (name: string): Promise<void> => add('Designation', { designation_name: name }),
  };
}
