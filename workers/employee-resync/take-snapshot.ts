/** Puts every record, whole, where it can be had back from, before any is deleted. */
import type { SnapshotRecord } from '../../core/domain/employees/snapshots.ts';
import type { Employee } from '../../core/integrations/employee-records/employee.ts';
import { inLanes } from './lanes.ts';
import type { ResyncParts } from './parts.ts';

const recordsAtOnce = 200;

/**
 * A run that goes on with the job adds only what its snapshot does not have as it is now.
 * @returns the snapshot's id, and the records that are in it and still there
 */
export async function takeSnapshot(
  parts: ResyncParts,
  current: readonly Employee[],
): Promise<{ id: string; deletable: Employee[] }> {
  const { snapshots, context, keepSnapshotDays } = parts;
  const id = await snapshots.open(context.jobId, keepSnapshotDays);
  const kept = await snapshots.contents(id);
  const wanted = current.filter(({ recordName, modifiedAt }) => kept.get(recordName) !== modifiedAt);
  const gone = new Set<string>();
  for (let from = 0; from < wanted.length; from += recordsAtOnce) {
    const some = wanted.slice(from, from + recordsAtOnce);
    const taken = await documentsOf(parts, some);
    await snapshots.put(id, taken);
    const found = new Set(taken.map(({ recordName }) => recordName));
    for (const { recordName } of some) if (!found.has(recordName)) gone.add(recordName);
    context.progress('snapshot', from + some.length, wanted.length, 20 + (30 * from) / wanted.length);
  }
  await snapshots.complete(id);
  return { id, deletable: current.filter(({ recordName }) => !gone.has(recordName)) };
}

async function documentsOf(
  { records, context }: ResyncParts,
  some: readonly Employee[],
): Promise<SnapshotRecord[]> {
  const taken: SnapshotRecord[] = [];
  await inLanes(some, context, async ({ recordName, modifiedAt }) => {
    const document = await records.document(recordName);
    if (document) taken.push({ recordName, modifiedAt, document });
  });
  return taken;
}
