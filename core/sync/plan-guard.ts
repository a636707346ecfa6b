/** Decides whether a synchronisation's plan looks like a fault of a source rather than like a change in the world. */

export interface GuardedPlan {
  /** Rows in the target that the plan compares with. */
  target: number;
  changed: number;
  deleted: number;
  sources: readonly GuardedSource[];
}

export interface GuardedSource {
  /** For sentences, such as `the identity directory`. */
  title: string;
  read: number;
  /** Rows of the last run that was carried out; undefined before the first. */
  lastRead: number | undefined;
  /** Whether the source was read to its end without a fault. */
  complete: boolean;
}

export interface GuardLimits {
  /** A source may have shrunk to this share of the last run. */
  minShareOfLast: number;
  /** Share of the target that one run may change, or delete. */
  maxChangedShare: number;
  maxDeletedShare: number;
  /** As few changes, or deletions, as these are never held: a small table changes in large shares. */
  freeChanges: number;
  freeDeletions: number;
}

export const usualLimits: GuardLimits = {
  minShareOfLast: 0.8,
  maxChangedShare: 0.3,
  maxDeletedShare: 0.05,
  freeChanges: 20,
  freeDeletions: 5,
};

/** @returns why the plan is to be held, a sentence each; empty: it may be carried out */
export function reasonsToHold(plan: GuardedPlan, limits: GuardLimits = usualLimits): string[] {
  return [
    ...plan.sources.flatMap(source => reasonsOfSource(source, limits)),
    ...reasonsOfChanges(plan, limits),
  ];
}

function reasonsOfSource({ title, read, lastRead, complete }: GuardedSource, limits: GuardLimits): string[] {
  if (!complete) return [`${title} was not read to its end.`];
  if (read === 0) return [`${title} answered with nothing at all.`];
  if (lastRead !== undefined && read < lastRead * limits.minShareOfLast)
    return [`${title} answered with ${read} rows; the last time there were ${lastRead}.`];
  return [];
}

function reasonsOfChanges({ target, changed, deleted }: GuardedPlan, limits: GuardLimits): string[] {
  const reasons: string[] = [];
  if (deleted > limits.freeDeletions && deleted > target * limits.maxDeletedShare)
    reasons.push(`${deleted} of ${target} rows would be deleted.`);
  if (changed > limits.freeChanges && changed > target * limits.maxChangedShare)
    reasons.push(`${changed} of ${target} rows would be changed.`);
  return reasons;
}
