/** Reads and changes the sandbox's employee records and directory users directly. */
import { z } from 'zod';
import type { Sandbox } from './sandbox.ts';

const Docs = z.object({ data: z.array(z.record(z.string(), z.union([z.string(), z.number(), z.null()]))) });
export type EmployeeDoc = z.infer<typeof Docs>['data'][number];

const headers = {
  authorization: 'token sandbox:sandbox',
  accept: 'application/json',
  'content-type': 'application/json',
};

export async function employeeDocs({ url }: Pick<Sandbox, 'url'>): Promise<EmployeeDoc[]> {
  const query = 'fields=["*"]&limit_page_length=0&order_by=name asc';
  const response = await fetch(`${url}/employee-records/api/resource/Employee?${query}`, { headers });
  return Docs.parse(await response.json()).data;
}

/** One text for each employee with rows in child tables, sorted: the employee and the rows. */
export async function employeeTables(sandbox: Pick<Sandbox, 'url'>): Promise<string[]> {
  const texts = (await employeeDocs(sandbox)).map(async doc => {
    const response = await fetch(`${sandbox.url}/employee-records/api/resource/Employee/${doc.name}`, { headers });
    const { education } = WithTables.parse(await response.json()).data;
    return education.length === 0 ? [] : [`${identity(doc)}: ${JSON.stringify(education)}`];
  });
  return (await Promise.all(texts)).flat().sort();
}
const WithTables = z.object({
  data: z.object({ education: z.array(z.object({ school_univ: z.string(), level: z.string() })) }),
});

/** Adds a document as a person in ERPNext does. */
export const addDoc = (sandbox: Pick<Sandbox, 'url'>, fields: object, doctype = 'Employee'): Promise<void> =>
  send(sandbox, 'POST', `employee-records/api/resource/${doctype}`, fields);

export const changeDoc = (
  sandbox: Pick<Sandbox, 'url'>,
  method: 'PUT' | 'DELETE',
  name: string,
  fields?: object,
  doctype = 'Employee',
): Promise<void> => send(sandbox, method, `employee-records/api/resource/${doctype}/${name}`, fields);

/** Changes a user as a person in the directory does. */
export const changeUser = (sandbox: Pick<Sandbox, 'url'>, id: string, fields: object): Promise<void> =>
  send(sandbox, 'PUT', `directory/systemusers/${id}`, fields);

async function send({ url }: Pick<Sandbox, 'url'>, method: string, path: string, fields?: object): Promise<void> {
  const response = await fetch(`${url}/${path}`, {
    method,
    headers: { ...headers, 'x-api-key': 'sandbox' },
    ...(fields && { body: JSON.stringify(fields) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
}

/** The documents without record names and times; managers are identified by number, name and dates. */
export function comparableDocs(docs: readonly EmployeeDoc[]): EmployeeDoc[] {
  const identityByName = new Map(docs.map(doc => [doc.name, identity(doc)]));
  return docs
    .map(({ name: _, creation, modified, owner, modified_by, ...doc }): EmployeeDoc => {
      return { ...doc, reports_to: identityByName.get(doc.reports_to ?? null) ?? null };
    })
    .sort((one, other) => (identity(one) < identity(other) ? -1 : 1));
}

const identity = (doc: EmployeeDoc): string =>
  `${doc.employee_number} ${doc.employee_name} ${doc.date_of_birth} ${doc.date_of_joining}`;
