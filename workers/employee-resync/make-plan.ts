/** Reads the three systems and plans; tells whether what was read looks like a fault. */

import { employeesStateKind } from '../../core/domain/employees/rows.ts';
import type { Employee } from '../../core/integrations/employee-records/employee.ts';
import { doubtsOfSources, type LastRead } from './guard.ts';
import type { EmployeeSources } from './join.ts';
import type { SourceName } from './ownership.ts';
import type { ResyncParts } from './parts.ts';
import { type Planned, planEmployees } from './plan.ts';

/** Under which the number of rows last read is kept. */
export const stateKinds: Readonly<Record<SourceName, string>> = {
  records: employeesStateKind,
  directory: 'employees-directory',
  crm: 'employees-crm',
};

export interface Reading {
  /** When it began, by the database's clock. */
  asOf: Date;
  sources: EmployeeSources;
  lastRead: LastRead;
}

export async function readSources(parts: ResyncParts): Promise<Reading> {
  const { records, directory, crm, employees, states, context } = parts;
  const asOf = await employees.now();
  const last = async (source: SourceName) => (await states.read(stateKinds[source]))?.read;
  const lastRead = {
    records: await last('records'),
    directory: await last('directory'),
    crm: await last('crm'),
  };
  context.progress('reading', 0, 3, 1);
  const [recordsRead, users, crmUsers] = await Promise.all([
    records.all(),
    directory.users(),
    crm.users.all(lastRead.crm || undefined),
  ]);
  context.progress('reading', 3, 3, 20);
  return { asOf, lastRead, sources: { records: recordsRead, directory: users, crm: crmUsers } };
}

export const plan = async (
  { records, employees }: ResyncParts,
  { asOf, sources }: Reading,
): Promise<Planned> => planEmployees(sources, { asOf, known: await employees.all(), keeps: records.keeps });

/**
 * The plan with the records as they are now, after this run has changed them.
 * @returns the plan, and why its list must not be put in the place of the old one
 */
export async function planAgain(
  parts: ResyncParts,
  { sources, lastRead }: Reading,
): Promise<{ planned: Planned; records: Employee[]; doubts: string[] }> {
  const asOf = await parts.employees.now();
  const records = await parts.records.all();
  const planned = await plan(parts, { asOf, lastRead, sources: { ...sources, records } });
  return { planned, records, doubts: doubtsOfOthers({ asOf, sources, lastRead }, planned) };
}

/** Doubts about the directory and the CRM only, where the records are expected to be others than the last time. */
export const doubtsOfOthers = ({ sources, lastRead }: Reading, { current }: Planned): string[] =>
  doubtsOfSources({ ...sources, records: [] }, current, { ...lastRead, records: 0 });
