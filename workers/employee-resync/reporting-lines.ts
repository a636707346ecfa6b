/** Orders employees by reporting lines, to create managers before their reports and delete them after. */
import { groupBy } from '../../core/values/group-by.ts';

export interface Reporting {
  recordName: string;
  /** The manager's record name. */
  reportsTo: string | null;
}

export interface Levels<R> {
  /** The first level has no managers; each next one reports to the level before. */
  levels: R[][];
  /** Records in a cycle of reporting lines, and their reports. */
  circular: R[];
}

/** A manager who is not among the records counts as none. */
export function levelsFromTop<R extends Reporting>(records: readonly R[]): Levels<R> {
  const names = new Set(records.map(({ recordName }) => recordName));
  const reports = groupBy(records, ({ reportsTo }) =>
    reportsTo !== null && names.has(reportsTo) ? reportsTo : undefined,
  );
  const levels: R[][] = [];
  for (let level = reports.get(undefined) ?? []; level.length > 0; ) {
    levels.push(level);
    level = level.flatMap(({ recordName }) => reports.get(recordName) ?? []);
  }
  const ordered = new Set(levels.flat());
  return { levels, circular: records.filter(record => !ordered.has(record)) };
}
