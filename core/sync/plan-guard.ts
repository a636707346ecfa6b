/** Decides whether the plan of a synchronisation looks like a fault of a source instead of real changes. */
import { wholeNumber } from '../values/number-text.ts';

export interface GuardedPlan {
  /** Rows in the target that the plan compares with. */
  target: number;
  changed: number;
  deleted: number;
  sources: readonly GuardedSource[];
}

/** A source that was read to its end: an incomplete read throws before there is a plan. */
export interface GuardedSource {
  /** For sentences, such as `The identity directory`. */
  title: string;
  read: number;
  /** Rows of the last applied run; undefined before the first. */
  lastRead: number | undefined;
}

export interface GuardLimits {
  /** A source may shrink to this share of the last run. */
  minShareOfLast: number;
  /** Share of the target that one run may change, or delete. */
  maxChangedShare: number;
  maxDeletedShare: number;
  /** Up to so many changes, or deletions, never hold a run: in a small table they are a large share. */
  freeChanges: number;
  freeDeletions: number;
  /** Whether a source may have no rows while the target has none either: a run then changes nothing. */
  mayBeginEmpty?: boolean;
}

const defaultLimits: GuardLimits = {
  minShareOfLast: 0.8,
  maxChangedShare: 0.3,
  maxDeletedShare: 0.05,
  freeChanges: 20,
  freeDeletions: 5,
};

/** For a mirror, which follows its source: any number of changes is harmless, vanished rows are not. */
export const mirrorLimits: GuardLimits = { ...defaultLimits, maxChangedShare: 1 };

/** @returns the reasons to hold the plan, one sentence each; empty if it may be applied */
export function reasonsToHold(plan: GuardedPlan, limits: GuardLimits = defaultLimits): string[] {
  const sources = limits.mayBeginEmpty && plan.target === 0 ? plan.sources.filter(isNotEmpty) : plan.sources;
  return [...sources.flatMap(source => reasonsOfSource(source, limits)), ...reasonsOfChanges(plan, limits)];
}

/** Also a source that had rows in the last run. */
const isNotEmpty = ({ read, lastRead = 0 }: GuardedSource): boolean => read > 0 || lastRead > 0;

function reasonsOfSource({ title, read, lastRead }: GuardedSource, limits: GuardLimits): string[] {
  if (read === 0) return [`${title} returned no rows.`];
  if (lastRead !== undefined && read < lastRead * limits.minShareOfLast)
    return [`${title} returned ${wholeNumber(read)} rows; the last run read ${wholeNumber(lastRead)}.`];
  return [];
}

function reasonsOfChanges({ target, changed, deleted }: GuardedPlan, limits: GuardLimits): string[] {
  const reasons: string[] = [];
  if (deleted > limits.freeDeletions && deleted > target * limits.maxDeletedShare)
    reasons.push(`${wholeNumber(deleted)} of ${wholeNumber(target)} rows would be deleted.`);
  if (changed > limits.freeChanges && changed > target * limits.maxChangedShare)
    reasons.push(
      target === 0
        ? `${wholeNumber(changed)} rows would be added, and there are none to compare with.`
        : `${wholeNumber(changed)} of ${wholeNumber(target)} rows would be changed.`,
    );
  return reasons;
}
