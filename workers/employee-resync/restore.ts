/** Restores the employee records from a snapshot, managers first, and replaces the list. */
import { z } from 'zod';
import type { SnapshotRecord } from '../../core/domain/employees/snapshots.ts';
import type { Employee } from '../../core/integrations/employee-records/employee.ts';
import { ServiceError } from '../../core/runtime/errors.ts';
import { unlessRejected } from '../../core/sync/rejected-row.ts';
import { forEachRecord, fullName, type HeldPlan, type Outcome, type ResyncContext } from './context.ts';
import { listUnchanged } from './delete-all.ts';
import { planRestore, type RestorePlan } from './restore-plan.ts';
import { listWithoutUpdates, planAgain, planFrom, readSources, reasonsWithoutRecords, replaceList } from './sources.ts';

/** The checkpoint of a run that has started to change records: the job can no longer be held. */
const Started = z.object({ begun: z.literal(true) });

interface Snapshot {
  employees: Employee[];
  documents: ReadonlyMap<string, SnapshotRecord['document']>;
}

export async function restore(
  context: ResyncContext,
  { dryRun, snapshotId }: { dryRun: boolean; snapshotId: string },
  released: HeldPlan | undefined,
): Promise<Outcome> {
  const { report, job } = context;
  const snapshot = await readSnapshot(context, snapshotId);
  const read = await readSources(context);
  const steps = planRestore(snapshot.employees, read.sources.records);
  report.count('read', snapshot.employees.length + read.sources.records.length);
  report.count('matched', steps.same);
  const rows = { records: read.sources.records.length };
  const hasStarted = Started.safeParse(await job.checkpoint.read()).success;
  if (dryRun || (!hasStarted && !released)) {
    const sources = { ...read.sources, records: snapshot.employees };
    const planned = await planFrom(context, { ...read, sources });
    const heldBecause = reasonsWithoutRecords(read, planned);
    if (dryRun || heldBecause.length > 0) {
      reportPlanned(context, steps);
      const plan = { mode: 'restore', snapshotId } as const;
      return { heldBecause, plan, listed: planned.plan.list.length, snapshotId, rows };
    }
  }
  await job.checkpoint.write({ begun: true });
  await restoreRecords(context, snapshot, steps);

  const { planned, records, reasons } = await planAgain(context, read);
  reportMissing(context, snapshot.employees, records);
  const list = listWithoutUpdates(planned.plan);
  if (list.length === 0 || (reasons.length > 0 && !released)) throw listUnchanged(reasons);
  await replaceList(context, planned.plan, list);
  return { heldBecause: [], listed: list.length, snapshotId, rows };
}

async function readSnapshot({ snapshots, records }: ResyncContext, id: string): Promise<Snapshot> {
  const stored = (await snapshots.find(id)) && (await snapshots.records(id));
  if (!stored) throw new ServiceError('not-found', `There is no snapshot ${id}; it may have expired.`);
  return {
    employees: stored.map(({ document }) => records.readDocument(document)),
    documents: new Map(stored.map(({ recordName, document }) => [recordName, document])),
  };
}

async function restoreRecords(context: ResyncContext, snapshot: Snapshot, steps: RestorePlan): Promise<void> {
  const { records, job, report } = context;
  const { present, missing, changed } = steps;
  const total = missing.flat().length + changed.length;
  let done = 0;
  const finishOne = (outcome: 'created' | 'updated', isDone: boolean): void => {
    if (isDone) report.count(outcome);
    done += 1;
    job.progress('restoring', done, total, 20 + (70 * done) / total);
  };
  const managerOf = ({ reportsTo }: Employee): string | null =>
    reportsTo === null ? null : (present.get(reportsTo) ?? null);
  const withoutManager: Employee[] = [];

  const create = async (employee: Employee): Promise<void> => {
    const manager = managerOf(employee);
    if (employee.reportsTo !== null && manager === null) withoutManager.push(employee);
    const isDone = await unlessRejected(employee.number, context, async () => {
      present.set(employee.recordName, await createOnce(context, snapshot, employee, manager));
    });
    finishOne('created', isDone);
  };
  for (const level of missing) await forEachRecord(level, context, create);

  await forEachRecord(changed, context, async employee => {
    const document = snapshot.documents.get(employee.recordName) ?? {};
    const name = present.get(employee.recordName) ?? '';
    const isDone = await unlessRejected(employee.number, context, () =>
      records.replaceByDocument(name, document, managerOf(employee)),
    );
    finishOne('updated', isDone);
  });
  // Circular reporting lines need all records to exist.
  await forEachRecord(withoutManager, context, async employee => {
    const [name, reportsTo] = [present.get(employee.recordName), managerOf(employee)];
    if (name === undefined || reportsTo === null) return;
    await unlessRejected(employee.number, context, () => records.update(name, { reportsTo }));
  });
}

async function createOnce(
  { records, effects, job }: ResyncContext,
  { documents }: Snapshot,
  employee: Employee,
  manager: string | null,
): Promise<string> {
  const { recordName } = employee;
  const { result } = await effects.once({
    key: `employee-restored:${job.jobId}:${recordName}`,
    kind: 'employee-restored',
    system: 'employee-records',
    result: z.object({ recordName: z.string() }),
    find: async () => {
      const found = planRestore([employee], await records.all()).present.get(recordName);
      return found === undefined ? undefined : { recordName: found };
    },
    execute: async () => ({
      recordName: await records.createFromDocument(documents.get(recordName) ?? {}, manager),
    }),
  });
  return result.recordName;
}

/** Reports the employees that the records still lack as failed. */
function reportMissing({ report }: ResyncContext, wanted: readonly Employee[], now: readonly Employee[]): void {
  for (const { number } of planRestore(wanted, now).missing.flat())
    report.countRow({ key: number, outcome: 'failed', reason: 'The employee records do not have it.' });
}

function reportPlanned({ report }: ResyncContext, { missing, changed }: RestorePlan): void {
  for (const [outcome, employees] of [
    ['created', missing.flat()],
    ['updated', changed],
  ] as const) {
    for (const employee of employees) {
      const reason = 'In the employee records, as in the snapshot.';
      report.countRow({ key: employee.number, outcome, reason }, { name: fullName(employee) });
    }
  }
}
