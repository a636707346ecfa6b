/** Employees' documents whole, in the system's own words: what is deleted can be put back as it was. */
import { z } from 'zod';
import type { SystemHttp } from '../kit/http.ts';
import { orUndefined } from '../kit/optional.ts';
import { asRefusal } from './refusal.ts';
import type { EmployeeWire } from './wire.ts';

export type EmployeeDocument = Record<string, unknown>;

const path = '/api/resource/Employee';
const Document = z.object({ data: z.record(z.string(), z.unknown()) });

/** What the system makes by itself, for the document and for the rows of its tables. */
const madeThere: ReadonlySet<string> = new Set([
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

export function openDocuments(http: SystemHttp, wire: EmployeeWire) {
  const pathOf = (recordName: string): string => `${path}/${encodeURIComponent(recordName)}`;
  const refusable = async <T>(done: Promise<T>): Promise<T> =>
    await done.catch(error => {
      throw asRefusal(error, wire, {});
    });

  return {
    /** With the tables inside it. @returns undefined when there is no such record */
    document: async (recordName: string): Promise<EmployeeDocument | undefined> =>
      (
        await orUndefined(
          http.call({ class: 'read', method: 'GET', path: pathOf(recordName), answer: Document }),
        )
      )?.data,

    /**
     * Makes a record like an earlier one, under a new name.
     * @param reportsTo a record name of now
     * @returns the new name
     * @throws ServiceError invalid-input or conflict when it is refused
     */
    async createFromDocument(document: EmployeeDocument, reportsTo: string | null): Promise<string> {
      const json = { ...withoutMade(document), reports_to: reportsTo };
      const call = { class: 'create', method: 'POST', path, json, answer: wire.employee } as const;
      return (await refusable(http.call(call))).data.recordName;
    },

    /**
     * Makes a record what the document says. @returns false when there is no such record
     * @throws ServiceError invalid-input or conflict when it is refused
     */
    async replaceByDocument(
      recordName: string,
      document: EmployeeDocument,
      reportsTo: string | null,
    ): Promise<boolean> {
      const json = { ...withoutMade(document), reports_to: reportsTo };
      const call = {
        class: 'set',
        method: 'PUT',
        path: pathOf(recordName),
        json,
        answer: wire.employee,
      } as const;
      return (await refusable(orUndefined(http.call(call)))) !== undefined;
    },

    /** What of a document tells whose it is, in our words. */
    readDocument: (document: EmployeeDocument) => wire.employee.parse({ data: document }).data,
  };
}

function withoutMade(document: EmployeeDocument): EmployeeDocument {
  return Object.fromEntries(
    Object.entries(document)
      .filter(([name]) => !madeThere.has(name))
      .map(([name, value]) => [name, Array.isArray(value) ? value.map(row => withoutMadeRow(row)) : value]),
  );
}

const withoutMadeRow = (row: unknown): unknown =>
  typeof row === 'object' && row !== null ? withoutMade({ ...row }) : row;
