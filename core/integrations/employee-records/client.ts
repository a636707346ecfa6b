/** The employee records with our verbs. */
import { z } from 'zod';
import { ServiceError } from '../../runtime/errors.ts';
import type { SystemTools } from '../kit/context.ts';
import { didFind, orUndefined } from '../kit/optional.ts';
import { UpstreamError } from '../kit/upstream-error.ts';
import type { EmployeeRecordsConfig } from './config.ts';
import { openDocuments } from './documents.ts';
import type { Employee, EmployeeChange, NewEmployee } from './employee.ts';
import { openNamedDocs } from './named-docs.ts';
import { asRefusal, readFrappeFault } from './refusal.ts';
import { employeeWire } from './wire.ts';

type Condition = readonly [field: string, operator: string, value: string];

const pageLength = 500;
const path = '/api/resource/Employee';
const pathOf = (recordName: string): string => `${path}/${encodeURIComponent(recordName)}`;
const Count = z.object({ message: z.int() });

export type EmployeeRecords = ReturnType<typeof openEmployeeRecords>;

export function openEmployeeRecords(config: EmployeeRecordsConfig, tools: SystemTools) {
  const http = tools.http({
    baseUrl: config.EMPLOYEE_RECORDS_URL ?? '',
    headers: () => ({
      authorization: `token ${config.EMPLOYEE_RECORDS_API_KEY}:${config.EMPLOYEE_RECORDS_API_SECRET}`,
    }),
    readFault: readFrappeFault,
  });
  const wire = employeeWire(config);
  const fields = JSON.stringify(wire.fieldNames);

  /** In the order of their names; what `filters` say must all hold, of what `or` says one. */
  async function list(conditions: { filters?: readonly Condition[]; or?: readonly Condition[] }, limit = 0) {
    const { data } = await http.call({
      class: 'read',
      method: 'GET',
      path,
      query: {
        fields,
        filters: conditions.filters && JSON.stringify(conditions.filters),
        or_filters: conditions.or && JSON.stringify(conditions.or),
        order_by: 'name asc',
        limit_page_length: limit,
      },
      answer: wire.employees,
    });
    return data;
  }

  /** After the last name of the page before, so that nothing is missed when records come or go meanwhile. */
  async function readAll(): Promise<Employee[]> {
    const all: Employee[] = [];
    for (;;) {
      const last = all.at(-1)?.recordName ?? '';
      const page = await list({ filters: [['name', '>', last]] }, pageLength);
      all.push(...page);
      if (page.length < pageLength) return all;
    }
  }

  const count = async (): Promise<number> =>
    (
      await http.call({
        class: 'read',
        method: 'GET',
        path: '/api/method/frappe.client.get_count',
        query: { doctype: 'Employee' },
        answer: Count,
      })
    ).message;

  const refusable = async <T>(done: Promise<T>, sent: object = {}): Promise<T> =>
    await done.catch(error => {
      throw asRefusal(error, wire, sent);
    });

  return {
    ...openNamedDocs(http, config, wire),
    ...openDocuments(http, wire),
    count,
    /** Whether the records have a place for the field. */
    keeps: wire.keeps,

    /** @throws UpstreamError when the records are fewer than the system counts, also at a second reading */
    async all(): Promise<Employee[]> {
      for (let tries = 1; ; tries += 1) {
        const employees = await readAll();
        const total = await count();
        if (employees.length >= total) return employees;
        if (tries === 2) throw incomplete(employees.length, total);
      }
    },

    /**
     * By the employee number, else by the record name.
     * @throws ServiceError conflict when several records have the number
     */
    async find(number: string): Promise<Employee | undefined> {
      const found = await list({
        or: [
          ['employee_number', '=', number],
          ['name', '=', number],
        ],
      });
      const [first, ...others] = found.filter(
        employee => employee.employeeNumber === number || employee.recordName === number,
      );
      if (others.length > 0) throw ambiguous(number, [first, ...others]);
      return first;
    },

    get: async (recordName: string): Promise<Employee | undefined> =>
      (
        await orUndefined(
          http.call({ class: 'read', method: 'GET', path: pathOf(recordName), answer: wire.employee }),
        )
      )?.data,

    /** By the company's e-mail, whatever its case. */
    async findByEmail(email: string): Promise<Employee[]> {
      const wanted = email.trim().toLowerCase();
      const found = await list({ filters: [['company_email', '=', wanted]] });
      return found.filter(employee => employee.email?.toLowerCase() === wanted);
    },

    /**
     * Makes another record each time: look with `find` or `findByEmail` first.
     * @throws ServiceError invalid-input or conflict when it is refused
     */
    async create(employee: NewEmployee): Promise<Employee> {
      const json = wire.toDoc({
        company: config.EMPLOYEE_RECORDS_COMPANY || null,
        status: 'Active',
        ...employee,
      });
      const made = http.call({ class: 'create', method: 'POST', path, json, answer: wire.employee });
      return (await refusable(made, employee)).data;
    },

    /**
     * Null empties a field. @returns undefined when there is no such record
     * @throws ServiceError invalid-input or conflict when it is refused
     */
    async update(recordName: string, change: EmployeeChange): Promise<Employee | undefined> {
      // There is no PATCH: a PUT changes the fields that it names.
      const call = { class: 'set', method: 'PUT', path: pathOf(recordName), answer: wire.employee } as const;
      return (await refusable(orUndefined(http.call({ ...call, json: wire.toDoc(change) })), change))?.data;
    },

    /**
     * @returns false when it was gone
     * @throws ServiceError conflict while somebody reports to the employee
     */
    delete: (recordName: string): Promise<boolean> =>
      refusable(
        didFind(http.call({ class: 'set', method: 'DELETE', path: pathOf(recordName), answer: z.unknown() })),
      ),
  };
}

const ambiguous = (number: string, records: readonly (Employee | undefined)[]): ServiceError =>
  new ServiceError(
    'conflict',
    `${records.length} records have the employee number ${number}: ${records.map(record => record?.recordName).join(', ')}. Ask for one by its record name.`,
  );

const incomplete = (read: number, total: number): UpstreamError =>
  new UpstreamError(
    'upstream-failed',
    `The employee records count ${total} employees and gave ${read}, twice.`,
    { system: 'employee-records', passing: true, mayHaveRun: false },
  );
