/** Takes a snapshot of all employee records, deletes them, and replaces the list from the directory and the CRM. */
import type { SnapshotRecord } from '../../core/domain/employees/snapshots.ts';
import type { Employee } from '../../core/integrations/employee-records/employee.ts';
import { ServiceError } from '../../core/runtime/errors.ts';
import { unlessRejected } from '../../core/sync/rejected-row.ts';
import { forEachRecord, type HeldPlan, type Outcome, type ResyncContext } from './context.ts';
import { levelsFromTop } from './reporting-lines.ts';
import {
  listWithoutUpdates,
  planAgain,
  planFrom,
  readSources,
  reasonsWithoutRecords,
  replaceList,
  type SourceRead,
} from './sources.ts';

export async function deleteAll(
  context: ResyncContext,
  { dryRun }: { dryRun: boolean },
  released: HeldPlan | undefined,
): Promise<Outcome> {
  const { report, snapshots, job } = context;
  const read = await readSources(context);
  const { records, directory, crm } = read.sources;
  report.count('read', records.length + directory.length + crm.length);
  const hasStarted = await snapshots.ofJob(job.jobId);
  if (dryRun || (!hasStarted && !released)) {
    const planned = await planFrom(context, { ...read, sources: { ...read.sources, records: [] } });
    const heldBecause = reasonsWithoutRecords(read, await planFrom(context, read));
    if (dryRun || heldBecause.length > 0) {
      reportPlanned(context, records);
      const plan = { mode: 'delete-all', records: records.length } as const;
      return { heldBecause, plan, listed: planned.plan.list.length, snapshotId: null };
    }
  }
  const { id, deletable } = await takeSnapshot(context, records);
  await deleteReportsFirst(context, deletable);
  const listed = await replaceListAfterDeletion(context, read, { id, isReleased: released !== undefined });
  return { heldBecause: [], listed, snapshotId: id };
}

/** The records have changed, but a list from faulty sources would lack employees. */
export const listUnchanged = (reasons: readonly string[]): ServiceError =>
  new ServiceError(
    'upstream-failed',
    `The list of employees was not replaced, because the sources look faulty. ${reasons.join(' ')}`,
  );

function reportPlanned({ report }: ResyncContext, records: readonly Employee[]): void {
  const { levels, circular } = levelsFromTop(records);
  for (const { number } of [...levels, circular].reverse().flat())
    report.countRow({ key: number, outcome: 'deleted', reason: 'From the employee records.' });
}

const recordsPerStep = 200;

/**
 * Stores all records in the job's snapshot. A retry adds only records that changed since.
 * @returns the snapshot's id, and the records that it contains and that still exist
 */
async function takeSnapshot(
  context: ResyncContext,
  current: readonly Employee[],
): Promise<{ id: string; deletable: Employee[] }> {
  const { snapshots, job, snapshotDays } = context;
  const id = await snapshots.open(job.jobId, snapshotDays);
  const stored = await snapshots.contents(id);
  const wanted = current.filter(({ recordName, modifiedAt }) => stored.get(recordName) !== modifiedAt);
  const gone = new Set<string>();
  for (let from = 0; from < wanted.length; from += recordsPerStep) {
    const some = wanted.slice(from, from + recordsPerStep);
    const taken = await documentsOf(context, some);
    await snapshots.put(id, taken);
    const found = new Set(taken.map(({ recordName }) => recordName));
    for (const { recordName } of some) if (!found.has(recordName)) gone.add(recordName);
    job.progress('snapshot', from + some.length, wanted.length, 20 + (30 * from) / wanted.length);
  }
  await snapshots.complete(id);
  return { id, deletable: current.filter(({ recordName }) => !gone.has(recordName)) };
}

async function documentsOf(context: ResyncContext, some: readonly Employee[]): Promise<SnapshotRecord[]> {
  const taken: SnapshotRecord[] = [];
  await forEachRecord(some, context, async ({ recordName, modifiedAt }) => {
    const document = await context.records.document(recordName);
    if (document) taken.push({ recordName, modifiedAt, document });
  });
  return taken;
}

/** The records system does not delete an employee to whom others report. */
async function deleteReportsFirst(context: ResyncContext, all: readonly Employee[]): Promise<void> {
  const { records, job } = context;
  const { levels, circular } = levelsFromTop(all);
  let deleted = 0;
  const remove = async ({ recordName, number }: Employee): Promise<void> => {
    await unlessRejected(number, context, () => records.delete(recordName));
    deleted += 1;
    job.progress('deleting', deleted, all.length, 50 + (40 * deleted) / all.length);
  };
  await forEachRecord(circular, context, async ({ recordName, number }) => {
    await unlessRejected(number, context, () => records.update(recordName, { reportsTo: null }));
  });
  for (const level of [...levels, circular].reverse()) await forEachRecord(level, context, remove);
}

/** @returns the number of listed employees */
async function replaceListAfterDeletion(
  context: ResyncContext,
  read: SourceRead,
  { id, isReleased }: { id: string; isReleased: boolean },
): Promise<number> {
  const { planned, records, reasons } = await planAgain(context, read);
  const left = new Set(records.map(({ recordName }) => recordName));
  const taken = await context.snapshots.contents(id);
  context.report.count('deleted', [...taken.keys()].filter(recordName => !left.has(recordName)).length);
  for (const row of planned.plan.doubts) if (row.outcome !== 'skipped') context.report.row(row);
  const list = listWithoutUpdates(planned.plan);
  if (list.length === 0 || (reasons.length > 0 && !isReleased)) throw listUnchanged(reasons);
  await replaceList(context, planned.plan, list);
  return list.length;
}
