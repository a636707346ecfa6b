/** Reads the three systems, checks them for faults, and replaces the local list with the planned one. */
import type { EmployeeView } from '../../core/domain/employees/employee-view.ts';
import { employeesStateKind } from '../../core/domain/employees/repository.ts';
import type { Employee } from '../../core/integrations/employee-records/employee.ts';
import { reasonsToHold } from '../../core/sync/plan-guard.ts';
import type { ResyncContext } from './context.ts';
import { type SourceName, sourceTitles } from './field-precedence.ts';
import type { EmployeeSources } from './join.ts';
import { type EmployeePlan, type Planned, planEmployees } from './plan.ts';

/** Keys of the sync states that store the number of rows last read. */
export const stateKinds: Readonly<Record<SourceName, string>> = {
  records: employeesStateKind,
  directory: 'employees-directory',
  crm: 'employees-crm',
};

/** Rows of each system at the last applied resync; undefined before the first. */
type LastRead = Readonly<Record<SourceName, number | undefined>>;

export interface SourceRead {
  /** Start of the read, by the database's clock. */
  asOf: Date;
  sources: EmployeeSources;
  lastRead: LastRead;
}

export async function readSources(context: ResyncContext): Promise<SourceRead> {
  const { records, directory, crm, employees, states, job } = context;
  const asOf = await employees.now();
  const last = async (source: SourceName) => (await states.read(stateKinds[source]))?.read;
  const lastRead = {
    records: await last('records'),
    directory: await last('directory'),
    crm: await last('crm'),
  };
  job.progress('reading', 0, 3, 1);
  const [recordsRead, users, crmUsers] = await Promise.all([
    records.all(),
    directory.users(),
    crm.users.all(lastRead.crm || undefined),
  ]);
  job.progress('reading', 3, 3, 20);
  return { asOf, lastRead, sources: { records: recordsRead, directory: users, crm: crmUsers } };
}

export const planFrom = async (
  { records, employees }: ResyncContext,
  { asOf, sources }: SourceRead,
): Promise<Planned> => planEmployees(sources, { asOf, known: await employees.all(), isStored: records.hasField });

/**
 * Plans again with the current records, after this run has changed them.
 * @returns the plan, and the reasons why its list must not replace the old one
 */
export async function planAgain(
  context: ResyncContext,
  { sources, lastRead }: SourceRead,
): Promise<{ planned: Planned; records: Employee[]; reasons: string[] }> {
  const asOf = await context.employees.now();
  const records = await context.records.all();
  const planned = await planFrom(context, { asOf, lastRead, sources: { ...sources, records } });
  return { planned, records, reasons: reasonsWithoutRecords({ asOf, sources, lastRead }, planned) };
}

/** The new list if none of the record updates is made. */
export function listWithoutUpdates({ list, updates }: EmployeePlan): EmployeeView[] {
  const recorded = new Map(updates.map(({ recordName, instead }) => [recordName, instead]));
  return list.map(employee => recorded.get(employee.recordName ?? '') ?? employee);
}

/** Replaces the list and the sync states in one transaction. */
export async function replaceList(
  { employees, states, job }: ResyncContext,
  { asOf: startedAt, read }: EmployeePlan,
  list: readonly EmployeeView[],
): Promise<void> {
  const asOf = new Date(startedAt);
  await employees.replace(list, asOf, async db => {
    await states.write(stateKinds.records, { asOf, fullAt: asOf, read: read.records }, db);
    await states.write(stateKinds.directory, { asOf, fullAt: asOf, read: read.directory }, db);
    await states.write(stateKinds.crm, { asOf, fullAt: asOf, read: read.crm }, db);
    await job.confirmClaim(db);
  });
}

/** The share of the current employees that the directory may lack. */
const maxUnknownShare = 0.25;
/** So many unknown employees never hold a run: in a small company they are a large share. */
const freeUnknown = 5;

/** @returns one sentence for each reason to hold the run; empty if there is none */
export function reasonsFromSources(
  sources: EmployeeSources,
  current: Planned['current'],
  lastRead: LastRead,
): string[] {
  const guarded = (['records', 'directory', 'crm'] as const)
    // No records are expected after all of them were deleted on purpose.
    .filter(name => name !== 'records' || sources.records.length > 0 || lastRead.records !== 0)
    .map(name => ({
      title: sourceTitles[name].replace(/^t/, 'T'),
      read: sources[name].length,
      lastRead: lastRead[name],
    }));
  return [...reasonsToHold({ target: 0, changed: 0, deleted: 0, sources: guarded }), ...reasonFromUnknown(current)];
}

/** Checks the directory and the CRM only, for runs that change the number of records on purpose. */
export const reasonsWithoutRecords = ({ sources, lastRead }: SourceRead, { current }: Planned): string[] =>
  reasonsFromSources({ ...sources, records: [] }, current, { ...lastRead, records: 0 });

export const reasonsFromChanges = ({ plan, overwritten }: Planned, known: number): string[] =>
  reasonsToHold({
    target: Math.max(known, plan.read.records),
    changed: overwritten,
    deleted: plan.deleted.length,
    sources: [],
  });

/** Detects a directory that lost many users even on the first run, which has no last read to compare with. */
function reasonFromUnknown({ employees, unknownToDirectory }: Planned['current']): string[] {
  if (unknownToDirectory <= freeUnknown || unknownToDirectory <= employees * maxUnknownShare) return [];
  return [`The identity directory does not have ${unknownToDirectory} of ${employees} employees.`];
}
