/** The system with the firm's employee records (ERPNext). */
import { z } from 'zod';
import { ServiceError } from '../../runtime/errors.ts';
import type { SystemTools } from '../kit/context.ts';
import { defineSystem } from '../kit/define-system.ts';
import type { SystemHttp } from '../kit/http.ts';
import { everyRow, goodRows, type ReadRow } from '../kit/read-rows.ts';
import { incompleteList, orFalse, orUndefined } from '../kit/upstream-error.ts';
import { checkSettings } from './check-settings.ts';
import { EmployeeRecordsConfig } from './config.ts';
import { changeCall, openDocuments, openNamedDocs } from './documents.ts';
import type { Employee, EmployeeChange, NewEmployee } from './employee.ts';
import { proposeSettings } from './propose-settings.ts';
import { readFault, withRejections } from './rejection.ts';
import { type EmployeeWire, employeesPath, employeeWire, recordPath, system } from './wire.ts';

export default defineSystem({
  ...system,
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
  checkSettings: records => records.checkSettings(),
  proposeSettings: records => records.proposeSettings(),
});

type Condition = readonly [field: string, operator: string, value: string];

interface Connection {
  http: SystemHttp;
  wire: EmployeeWire;
  config: EmployeeRecordsConfig;
}

const pageRows = 500;
const Count = z.object({ message: z.int() });

export type EmployeeRecords = ReturnType<typeof openEmployeeRecords>;

export function openEmployeeRecords(config: EmployeeRecordsConfig, tools: SystemTools) {
  const wire = employeeWire(config);
  const http = tools.http({
    baseUrl: config.EMPLOYEE_RECORDS_URL ?? '',
    headers: () => ({
      authorization: `token ${config.EMPLOYEE_RECORDS_API_KEY}:${config.EMPLOYEE_RECORDS_API_SECRET}`,
    }),
    readFault,
  });
  const connection = { http, wire, config };
  return {
    ...openNamedDocs(http, config, wire),
    ...openDocuments(http, wire),
    ...readers(connection),
    ...writers(connection),
    /** Whether the records have this field. */
    hasField: wire.hasField,
    /** One finding for each setting that the system contradicts. */
    checkSettings: () => checkSettings(http, config),
    /** Lines for `.env`. */
    proposeSettings: () => proposeSettings(http, config),
  };
}

function readers(connection: Connection) {
  const { http, wire } = connection;
  return {
    count: () => count(connection),

    /** @throws UpstreamError when two reads return fewer records than the system counts */
    async all(): Promise<Employee[]> {
      // The lowest count: others, and this job itself, may add records while they are read and counted.
      for (let reads = 1, total = Number.POSITIVE_INFINITY; ; reads += 1) {
        const rows = await readAll(connection);
        total = Math.min(total, await count(connection));
        if (rows.length >= total) return goodRows(rows);
        if (reads === 2) throw incompleteList(system, 'employees', { expected: total, received: rows.length });
      }
    },

    /**
     * By the employee number, else by the record name.
     * @throws ServiceError conflict when several records have the number
     */
    async find(number: string): Promise<Employee | undefined> {
      const or: Condition[] = ['employee_number', 'name'].map(field => [field, '=', number]);
      const [first, ...others] = everyRow(system, await list(connection, { or })).filter(
        employee => employee.employeeNumber === number || employee.recordName === number,
      );
      if (first && others.length > 0) throw ambiguous(number, [first, ...others]);
      return first;
    },

    get: async (recordName: string): Promise<Employee | undefined> =>
      (await orUndefined(http.get(recordPath(recordName), wire.employee)))?.data,

    /** By the company e-mail, in any case. */
    async findByEmail(email: string): Promise<Employee[]> {
      const wanted = email.trim().toLowerCase();
      const found = everyRow(system, await list(connection, { filters: [['company_email', '=', wanted]] }));
      return found.filter(employee => employee.email?.toLowerCase() === wanted);
    },
  };
}

function writers({ http, wire, config }: Connection) {
  return {
    /**
     * Creates another record with each request: look up with `find` or `findByEmail` first.
     * @throws ServiceError invalid-input or conflict when the system rejects it
     */
    async create(employee: NewEmployee): Promise<Employee> {
      const company = config.EMPLOYEE_RECORDS_COMPANY || null;
      const json = wire.toDoc({ company, status: 'Active', ...employee });
      const call = { class: 'create', method: 'POST', path: employeesPath, answer: wire.employee } as const;
      return (await withRejections(http.call({ ...call, json }), wire, employee)).data;
    },

    /**
     * Null empties a field. @returns undefined when there is no such record
     * @throws ServiceError invalid-input or conflict when the system rejects it
     */
    async update(recordName: string, change: EmployeeChange): Promise<Employee | undefined> {
      const updated = orUndefined(http.call({ ...changeCall(recordName, wire), json: wire.toDoc(change) }));
      return (await withRejections(updated, wire, change))?.data;
    },

    /**
     * @returns false when it did not exist
     * @throws EmployeeLinkedError while another document links to the record
     */
    delete(recordName: string): Promise<boolean> {
      const call = { class: 'set', method: 'DELETE', path: recordPath(recordName), answer: z.unknown() } as const;
      return withRejections(orFalse(http.call(call)), wire);
    },
  };
}

/** Ordered by record name; all `filters` and one of `or` must match. */
async function list(
  { http, wire }: Connection,
  { filters, or }: { filters?: readonly Condition[]; or?: readonly Condition[] },
  limit = 0,
) {
  const query = {
    fields: JSON.stringify(wire.fieldNames),
    filters: filters && JSON.stringify(filters),
    or_filters: or && JSON.stringify(or),
    order_by: 'name asc',
    limit_page_length: limit,
  };
  return (await http.get(employeesPath, wire.employees, query)).data;
}

/** Each page begins after the last name of the one before: records that are added or deleted meanwhile shift no page. */
async function readAll(connection: Connection): Promise<ReadRow<Employee>[]> {
  const all: ReadRow<Employee>[] = [];
  for (;;) {
    const last = all.at(-1)?.id ?? '';
    const page = await list(connection, { filters: [['name', '>', last]] }, pageRows);
    all.push(...page);
    if (page.length < pageRows) return all;
  }
}

async function count({ http }: Connection): Promise<number> {
  return (await http.get('/api/method/frappe.client.get_count', Count, { doctype: 'Employee' })).message;
}

const ambiguous = (number: string, found: readonly Employee[]): ServiceError =>
  new ServiceError(
    'conflict',
    `${found.length} records have the employee number ${number}: ${found.map(({ recordName }) => recordName).join(', ')}. Use a record name instead.`,
  );
