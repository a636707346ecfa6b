/** Takes a snapshot of all employee records, deletes them, and replaces the list from the directory and the CRM. */
import { isDeepStrictEqual } from 'node:util';
import type { SnapshotRecord } from '../../core/domain/employees/snapshots.ts';
import type { Employee } from '../../core/integrations/employee-records/employee.ts';
import { ServiceError } from '../../core/runtime/errors.ts';
import { unlessRejected } from '../../core/sync/rejected-row.ts';
import { chunks } from '../../core/values/chunks.ts';
import { forEachRecord, type HeldPlan, type Outcome, type ResyncContext } from './context.ts';
import {
  deleteOrSetLeft,
  type LinkedOptions,
  nothingDeleted,
  type Rejection,
  reportPlannedDeletion,
} from './linked-employees.ts';
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
  { dryRun, ...options }: LinkedOptions & { dryRun: boolean },
  released: HeldPlan | undefined,
): Promise<Outcome> {
  const { report, snapshots, job } = context;
  const read = await readSources(context);
  const { records, directory, crm } = read.sources;
  report.count('read', records.length + directory.length + crm.length);
  const rows = { records: records.length };
  const hasStarted = await snapshots.ofJob(job.jobId);
  if (dryRun || (!hasStarted && !released)) {
    const heldBecause = reasonsWithoutRecords(read, await planFrom(context, read));
    if (dryRun || heldBecause.length > 0) {
      const remaining = await reportPlannedDeletion(context, records, options);
      const planned = await planFrom(context, { ...read, sources: { ...read.sources, records: remaining } });
      const plan = { mode: 'delete-all', records: records.length } as const;
      return { heldBecause, plan, listed: planned.plan.list.length, snapshotId: null, rows };
    }
  }
  const { id, deletable } = await takeSnapshot(context, records);
  const rejections = await deleteReportsFirst(context, deletable, options);
  const listed = await replaceListAfterDeletion(context, read, {
    id,
    rejections,
    isReleased: released !== undefined,
  });
  return { heldBecause: [], listed, snapshotId: id, rows };
}

/** The records have changed, but a list from faulty sources would lack employees. */
export const listUnchanged = (reasons: readonly string[]): ServiceError =>
  new ServiceError(
    'upstream-failed',
    `The list of employees was not replaced, because the sources look faulty. ${reasons.join(' ')}`,
  );

const recordsPerStep = 200;

/**
 * Stores all records in the job's snapshot. A retry adds only records that others changed since.
 * @returns the snapshot's id, and the records that it contains and that still exist
 */
async function takeSnapshot(
  context: ResyncContext,
  current: readonly Employee[],
): Promise<{ id: string; deletable: Employee[] }> {
  const { snapshots, job, snapshotDays } = context;
  const id = await snapshots.open(job.jobId, snapshotDays);
  const stored = new Map(
    (await snapshots.records(id)).map(({ recordName, document }) => [
      recordName,
      context.records.readDocument(document),
    ]),
  );
  const wanted = current.filter(now => {
    const before = stored.get(now.recordName);
    return !before || (before.modifiedAt !== now.modifiedAt && !isOwnChange(before, now));
  });
  const gone = new Set<string>();
  let done = 0;
  for (const some of chunks(wanted, recordsPerStep)) {
    const taken = await documentsOf(context, some);
    await snapshots.put(id, taken);
    const found = new Set(taken.map(({ recordName }) => recordName));
    for (const { recordName } of some) if (!found.has(recordName)) gone.add(recordName);
    done += some.length;
    job.progress('snapshot', done, wanted.length, 20 + (30 * done) / wanted.length);
  }
  await snapshots.complete(id);
  return { id, deletable: current.filter(({ recordName }) => !gone.has(recordName)) };
}

/** Whether an earlier attempt of this job changed the record: set it to Left, or removed a circular reporting line. */
function isOwnChange(before: Employee, now: Employee): boolean {
  const { status, relievingDate, reportsTo, modifiedAt } = now;
  const isChanged =
    (status === 'Left' && before.status !== 'Left') || (reportsTo === null && before.reportsTo !== null);
  return isChanged && isDeepStrictEqual({ ...before, status, relievingDate, reportsTo, modifiedAt }, now);
}

async function documentsOf(context: ResyncContext, some: readonly Employee[]): Promise<SnapshotRecord[]> {
  const taken: SnapshotRecord[] = [];
  await forEachRecord(some, context, async ({ recordName, modifiedAt }) => {
    const document = await context.records.document(recordName);
    if (document) taken.push({ recordName, modifiedAt, document });
  });
  return taken;
}

/**
 * The records system does not delete an employee to whom others report.
 * @returns the records that were neither deleted nor set to Left
 */
async function deleteReportsFirst(
  context: ResyncContext,
  all: readonly Employee[],
  options: LinkedOptions,
): Promise<Rejection[]> {
  const { records, job } = context;
  const { levels, circular } = levelsFromTop(all);
  const rejections: Rejection[] = [];
  let done = 0;
  const remove = async (employee: Employee): Promise<void> => {
    const rejection = await deleteOrSetLeft(context, employee, options);
    if (rejection) rejections.push(rejection);
    done += 1;
    job.progress('deleting', done, all.length, 50 + (40 * done) / all.length);
  };
  await forEachRecord(circular, context, async ({ recordName, number }) => {
    await unlessRejected(number, context, () => records.update(recordName, { reportsTo: null }));
  });
  for (const level of [...levels, circular].reverse()) await forEachRecord(level, context, remove);
  return rejections;
}

/**
 * @returns the number of listed employees
 * @throws ServiceError conflict when all records are unchanged
 */
async function replaceListAfterDeletion(
  context: ResyncContext,
  read: SourceRead,
  { id, rejections, isReleased }: { id: string; rejections: readonly Rejection[]; isReleased: boolean },
): Promise<number> {
  const { planned, records, reasons } = await planAgain(context, read);
  const left = new Set(records.map(({ recordName }) => recordName));
  const taken = await context.snapshots.contents(id);
  const deleted = [...taken.keys()].filter(recordName => !left.has(recordName)).length;
  if (deleted === 0 && rejections.length > 0 && rejections.length === taken.size) throw nothingDeleted(rejections);
  context.report.count('deleted', deleted);
  for (const row of planned.plan.doubts) if (row.outcome !== 'skipped') context.report.row(row);
  const list = listWithoutUpdates(planned.plan);
  if (list.length === 0 || (reasons.length > 0 && !isReleased)) throw listUnchanged(reasons);
  await replaceList(context, planned.plan, list);
  return list.length;
}
