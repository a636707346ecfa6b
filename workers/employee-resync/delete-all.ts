/** Deletes all employee records, and makes the list of what the directory and the CRM know. */

import type { Employee } from '../../core/integrations/employee-records/employee.ts';
import { ServiceError } from '../../core/runtime/errors.ts';
import { listAsRecorded, putList } from './apply-plan.ts';
import type { HeldPlan } from './held-plan.ts';
import { inLanes, unlessRefused } from './lanes.ts';
import { doubtsOfOthers, plan as makePlan, planAgain, type Reading, readSources } from './make-plan.ts';
import type { Outcome } from './outcome.ts';
import type { ResyncParts } from './parts.ts';
import { levelsFromTheTop } from './reporting-lines.ts';
import { takeSnapshot } from './take-snapshot.ts';

export async function deleteAll(
  parts: ResyncParts,
  { dryRun }: { dryRun: boolean },
  released: HeldPlan | undefined,
): Promise<Outcome> {
  const { report, snapshots, context } = parts;
  const reading = await readSources(parts);
  const { records, directory, crm } = reading.sources;
  report.count('read', records.length + directory.length + crm.length);
  const begun = await snapshots.ofJob(context.jobId);
  if (dryRun || (!begun && !released)) {
    const planned = await makePlan(parts, { ...reading, sources: { ...reading.sources, records: [] } });
    const heldBecause = doubtsOfOthers(reading, await makePlan(parts, reading));
    if (dryRun || heldBecause.length > 0) {
      foretell(parts, records);
      const plan = { mode: 'delete-all', records: records.length } as const;
      return { heldBecause, plan, listed: planned.plan.list.length, snapshotId: null };
    }
  }
  const { id, deletable } = await takeSnapshot(parts, records);
  await deleteLeafFirst(parts, deletable);
  const listed = await finish(parts, reading, { id, isReleased: released !== undefined });
  return { heldBecause: [], listed, snapshotId: id };
}

/** Those to whom nobody reports first. */
async function deleteLeafFirst(parts: ResyncParts, all: readonly Employee[]): Promise<void> {
  const { records, context } = parts;
  const { levels, circular } = levelsFromTheTop(all);
  let deleted = 0;
  const remove = async ({ recordName, number }: Employee): Promise<void> => {
    await unlessRefused(number, parts, () => records.delete(recordName));
    deleted += 1;
    context.progress('deleting', deleted, all.length, 50 + (40 * deleted) / all.length);
  };
  await inLanes(circular, context, async ({ recordName, number }) => {
    await unlessRefused(number, parts, () => records.update(recordName, { reportsTo: null }));
  });
  for (const level of [...levels, circular].reverse()) await inLanes(level, context, remove);
}

/** Looks what is left, and puts the new list in the place of the old one. @returns how many are listed */
async function finish(
  parts: ResyncParts,
  reading: Reading,
  { id, isReleased }: { id: string; isReleased: boolean },
): Promise<number> {
  const { planned, records, doubts } = await planAgain(parts, reading);
  const left = new Set(records.map(({ recordName }) => recordName));
  const taken = await parts.snapshots.contents(id);
  parts.report.count('deleted', [...taken.keys()].filter(recordName => !left.has(recordName)).length);
  for (const row of planned.plan.doubts) if (row.outcome !== 'skipped') parts.report.row(row);
  const list = listAsRecorded(planned.plan);
  if (list.length === 0 || (doubts.length > 0 && !isReleased)) throw listStays(doubts);
  await putList(parts, planned.plan, list);
  return list.length;
}

/** The records are deleted, and a list made of broken sources would show less than there is. */
export const listStays = (doubts: readonly string[]): ServiceError =>
  new ServiceError(
    'upstream-failed',
    `The list of employees stays as it was, because nothing better can be made now. ${doubts.join(' ')}`,
  );

function foretell({ report }: ResyncParts, records: readonly Employee[]): void {
  const { levels, circular } = levelsFromTheTop(records);
  report.count('deleted', records.length);
  for (const { number } of [...levels, circular].reverse().flat())
    report.row({ key: number, outcome: 'deleted', reason: 'From the employee records.' });
}
