/** Documents in the system's own form: whole employees, and the departments, designations and companies they refer to. */
import { z } from 'zod';
import type { SystemHttp } from '../kit/http.ts';
import { orUndefined, UpstreamError } from '../kit/upstream-error.ts';
import type { EmployeeRecordsConfig } from './config.ts';
import { type LinkedDocument, withRejections } from './rejection.ts';
import { type EmployeeWire, employeesPath, recordPath } from './wire.ts';

export type EmployeeDocument = Record<string, unknown>;

const Document = z.object({ data: z.record(z.string(), z.unknown()) });
const Names = z.object({ data: z.array(z.object({ name: z.string() })) });

const LinkedDocuments = z.object({
  message: z.record(z.string(), z.array(z.object({ name: z.union([z.string(), z.number()]).transform(String) }))),
});

/** Links from these doctypes do not prevent a deletion: `ignore_links_on_delete` in frappe/hooks.py. */
const ignoredDoctypes: ReadonlySet<string> = new Set([
  'Communication',
  'ToDo',
  'DocShare',
  'Email Unsubscribe',
  'Activity Log',
  'File',
  'Version',
  'Document Follow',
  'Comment',
  'View Log',
  'Tag Link',
  'Notification Log',
  'Email Queue',
  'Document Share Key',
  'Integration Request',
  'Unhandled Email',
  'Webhook Request Log',
  'Workspace',
  'Route History',
  'Access Log',
  'Permission Log',
]);

/** Members that the system generates, in the document and in the rows of its tables. */
const generatedMembers: ReadonlySet<string> = new Set([
  'name',
  'owner',
  'creation',
  'modified',
  'modified_by',
  'docstatus',
  'idx',
  'doctype',
  'parent',
  'parentfield',
  'parenttype',
  'employee_name',
  'lft',
  'rgt',
  'old_parent',
]);

/** The API has no PATCH: a PUT changes only the fields in its body. */
export const changeCall = (recordName: string, wire: EmployeeWire) =>
  ({ class: 'set', method: 'PUT', path: recordPath(recordName), answer: wire.employee }) as const;

/** Whole employee documents: a deleted employee can be restored from one. */
export function openDocuments(http: SystemHttp, wire: EmployeeWire) {
  return {
    /** Includes its tables. @returns undefined when there is no such record */
    document: async (recordName: string): Promise<EmployeeDocument | undefined> =>
      (await orUndefined(http.get(recordPath(recordName), Document)))?.data,

    /** The documents that prevent the deletion of a record; empty when there is no such record. */
    async linkedDocuments(recordName: string): Promise<LinkedDocument[]> {
      const query = { doctype: 'Employee', docname: recordName };
      const call = http.get('/api/method/frappe.desk.form.linked_with.get', LinkedDocuments, query);
      return Object.entries((await orUndefined(call))?.message ?? {})
        .filter(([doctype]) => !ignoredDoctypes.has(doctype))
        .flatMap(([doctype, documents]) => documents.map(({ name }) => ({ doctype, name })));
    },

    /**
     * Creates a record from an earlier document, under a new name.
     * @param reportsTo a record name that exists now
     * @returns the new name
     * @throws ServiceError invalid-input or conflict when the system rejects it
     */
    async createFromDocument(document: EmployeeDocument, reportsTo: string | null): Promise<string> {
      const json = { ...withoutGenerated(document), reports_to: reportsTo };
      const call = { class: 'create', method: 'POST', path: employeesPath, answer: wire.employee } as const;
      return (await withRejections(http.call({ ...call, json }), wire)).data.recordName;
    },

    /**
     * Writes the document's fields to a record. @returns false when there is no such record
     * @throws ServiceError invalid-input or conflict when the system rejects it
     */
    async replaceByDocument(
      recordName: string,
      document: EmployeeDocument,
      reportsTo: string | null,
    ): Promise<boolean> {
      const json = { ...withoutGenerated(document), reports_to: reportsTo };
      const changed = orUndefined(http.call({ ...changeCall(recordName, wire), json }));
      return (await withRejections(changed, wire)) !== undefined;
    },

    readDocument: (document: EmployeeDocument) => wire.employee.parse({ data: document }).data,
  };
}

/** Departments, designations and companies: an employee may refer to existing ones only. */
export function openNamedDocs(http: SystemHttp, config: EmployeeRecordsConfig, wire: EmployeeWire) {
  const resource = (doctype: string): string => `/api/resource/${doctype}`;

  async function names(doctype: string): Promise<string[]> {
    const query = { fields: '["name"]', order_by: 'name asc', limit_page_length: 0 };
    return (await http.get(resource(doctype), Names, query)).data.map(({ name }) => name);
  }

  /** Idempotent, because names are unique: 409 means that the document exists. */
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
    addDepartment: (name: string): Promise<void> =>
      add('Department', { department_name: name, company: config.EMPLOYEE_RECORDS_COMPANY }),
    addDesignation: (name: string): Promise<void> => add('Designation', { designation_name: name }),
  };
}

function withoutGenerated(document: EmployeeDocument): EmployeeDocument {
  const row = (value: unknown): unknown =>
    typeof value === 'object' && value !== null ? withoutGenerated({ ...value }) : value;
  return Object.fromEntries(
    Object.entries(document)
      .filter(([name]) => !generatedMembers.has(name))
      .map(([name, value]) => [name, Array.isArray(value) ? value.map(row) : value]),
  );
}
