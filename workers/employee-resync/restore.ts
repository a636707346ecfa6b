/** Puts the records back as a snapshot has them, whoever leads first. */
import { z } from 'zod';
import type { SnapshotRecord } from '../../core/domain/employees/snapshots.ts';
import type { Employee } from '../../core/integrations/employee-records/employee.ts';
import { ServiceError } from '../../core/runtime/errors.ts';
import { listAsRecorded, putList } from './apply-plan.ts';
import { listStays } from './delete-all.ts';
import type { HeldPlan } from './held-plan.ts';
import { inLanes, unlessRefused } from './lanes.ts';
import { doubtsOfOthers, plan as makePlan, planAgain, readSources } from './make-plan.ts';
import type { Outcome } from './outcome.ts';
import type { ResyncParts } from './parts.ts';
import { planRestore, type RestorePlan } from './restore-plan.ts';

/** That an earlier run of the job has begun to change records: it cannot be held any more. */
const Begun = z.object({ begun: z.literal(true) });

interface Snapshot {
  employees: Employee[];
  documents: ReadonlyMap<string, SnapshotRecord['document']>;
}

export async function restore(
  parts: ResyncParts,
  { dryRun, snapshotId }: { dryRun: boolean; snapshotId: string },
  released: HeldPlan | undefined,
): Promise<Outcome> {
  const { report, context } = parts;
  const snapshot = await openSnapshot(parts, snapshotId);
  const reading = await readSources(parts);
  const steps = planRestore(snapshot.employees, reading.sources.records);
  report.count('read', snapshot.employees.length + reading.sources.records.length);
  report.count('matched', steps.same);
  const isBegun = Begun.safeParse(await context.checkpoint.read()).success;
  if (dryRun || (!isBegun && !released)) {
    const planned = await makePlan(parts, {
      ...reading,
      sources: { ...reading.sources, records: snapshot.employees },
    });
    const heldBecause = doubtsOfOthers(reading, planned);
    if (dryRun || heldBecause.length > 0) {
      foretell(parts, steps);
      const plan = { mode: 'restore', snapshotId } as const;
      return { heldBecause, plan, listed: planned.plan.list.length, snapshotId };
    }
  }
  await context.checkpoint.write({ begun: true });
  await carryOut(parts, snapshot, steps);

  const { planned, records, doubts } = await planAgain(parts, reading);
  report.count('failed', notThere(parts, snapshot.employees, records));
  const list = listAsRecorded(planned.plan);
  if (list.length === 0 || (doubts.length > 0 && !released)) throw listStays(doubts);
  await putList(parts, planned.plan, list);
  return { heldBecause: [], listed: list.length, snapshotId };
}

async function openSnapshot({ snapshots, records }: ResyncParts, id: string): Promise<Snapshot> {
  const kept = (await snapshots.find(id)) && (await snapshots.records(id));
  if (!kept) throw new ServiceError('not-found', `There is no snapshot ${id}; it may have expired.`);
  return {
    employees: kept.map(({ document }) => records.readDocument(document)),
    documents: new Map(kept.map(({ recordName, document }) => [recordName, document])),
  };
}

async function carryOut(parts: ResyncParts, snapshot: Snapshot, steps: RestorePlan): Promise<void> {
  const { records, context, report } = parts;
  const { present, missing, changed } = steps;
  const total = missing.flat().length + changed.length;
  let done = 0;
  const told = (): void => {
    done += 1;
    context.progress('restoring', done, total, 20 + (70 * done) / total);
  };
  const superiorOf = ({ reportsTo }: Employee): string | null =>
    reportsTo === null ? null : (present.get(reportsTo) ?? null);
  const withoutSuperior: Employee[] = [];

  const create = async (employee: Employee): Promise<void> => {
    const superior = superiorOf(employee);
    if (employee.reportsTo !== null && superior === null) withoutSuperior.push(employee);
    const isDone = await unlessRefused(employee.number, parts, async () => {
      present.set(employee.recordName, await createOnce(parts, snapshot, employee, superior));
    });
    if (isDone) report.count('created');
    told();
  };
  for (const level of missing) await inLanes(level, context, create);

  await inLanes(changed, context, async employee => {
    const document = snapshot.documents.get(employee.recordName) ?? {};
    const name = present.get(employee.recordName) ?? '';
    const isDone = await unlessRefused(employee.number, parts, () =>
      records.replaceByDocument(name, document, superiorOf(employee)),
    );
    if (isDone) report.count('updated');
    told();
  });
  // Lines of report that run in a circle can be drawn only once everybody is there.
  await inLanes(withoutSuperior, context, async employee => {
    const [name, reportsTo] = [present.get(employee.recordName), superiorOf(employee)];
    if (name === undefined || reportsTo === null) return;
    await unlessRefused(employee.number, parts, () => records.update(name, { reportsTo }));
  });
}

async function createOnce(
  { records, effects, context }: ResyncParts,
  { documents }: Snapshot,
  employee: Employee,
  superior: string | null,
): Promise<string> {
  const { recordName } = employee;
  const { result } = await effects.once({
    key: `employee-restored:${context.jobId}:${recordName}`,
    kind: 'employee-restored',
    system: 'employee-records',
    result: z.object({ recordName: z.string() }),
    lookUp: async () => {
      const found = planRestore([employee], await records.all()).present.get(recordName);
      return found === undefined ? undefined : { recordName: found };
    },
    act: async () => ({
      recordName: await records.createFromDocument(documents.get(recordName) ?? {}, superior),
    }),
  });
  return result.recordName;
}

/** @returns how many were made, as far as was told, and are not there all the same */
function notThere({ report }: ResyncParts, wanted: readonly Employee[], now: readonly Employee[]): number {
  const missing = planRestore(wanted, now).missing.flat();
  for (const { number } of missing)
    report.row({ key: number, outcome: 'failed', reason: 'The employee records do not have it.' });
  return missing.length;
}

function foretell({ report }: ResyncParts, { missing, changed }: RestorePlan): void {
  for (const [outcome, employees] of [
    ['created', missing.flat()],
    ['updated', changed],
  ] as const) {
    report.count(outcome, employees.length);
    for (const { number } of employees)
      report.row({ key: number, outcome, reason: 'In the employee records, as the snapshot has it.' });
  }
}
