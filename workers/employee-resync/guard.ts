/** Tells whether what was read of the employees' systems, or what it would change, looks like a fault. */
import { type GuardedSource, reasonsToHold } from '../../core/sync/plan-guard.ts';
import type { EmployeeSources } from './join.ts';
import { type SourceName, sourceTitles } from './ownership.ts';
import type { Planned } from './plan.ts';

/** Rows of each system at the last resync that was carried out; undefined before the first. */
export type LastRead = Readonly<Record<SourceName, number | undefined>>;

/** Of the employees who have not left, the share that the directory may not know. */
const maxUnknownShare = 0.25;
/** A firm as small as this has no shares to speak of. */
const freeUnknown = 5;

/** @returns a sentence each; empty: the employees may be brought up to date with what was read */
export function doubtsOfSources(
  sources: EmployeeSources,
  current: Planned['current'],
  lastRead: LastRead,
): string[] {
  const guarded = (['records', 'directory', 'crm'] as const)
    // Records that were all deleted on purpose are expected to be none.
    .filter(name => name !== 'records' || sources.records.length > 0 || lastRead.records !== 0)
    .map(
      (name): GuardedSource => ({
        title: sourceTitles[name].replace(/^t/, 'T'),
        read: sources[name].length,
        lastRead: lastRead[name],
        complete: true,
      }),
    );
  return [
    ...reasonsToHold({ target: 0, changed: 0, deleted: 0, sources: guarded }),
    ...reasonOfUnknown(current),
  ];
}

/** Tells a directory that lost half its users even where there is no last time to compare with. */
function reasonOfUnknown({ employees, unknownToDirectory }: Planned['current']): string[] {
  if (unknownToDirectory <= freeUnknown || unknownToDirectory <= employees * maxUnknownShare) return [];
  return [`The identity directory does not know ${unknownToDirectory} of ${employees} employees.`];
}

export const doubtsOfChanges = ({ plan, overwritten }: Planned, known: number): string[] =>
  reasonsToHold({
    target: Math.max(known, plan.read.records),
    changed: overwritten,
    deleted: plan.deleted.length,
    sources: [],
  });
