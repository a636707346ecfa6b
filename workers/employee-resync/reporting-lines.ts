/** Orders records by who reports to whom: nobody can be deleted to whom others report, nor report to who is not there. */

export interface Reporting {
  recordName: string;
  /** The record name of whom they report to. */
  reportsTo: string | null;
}

export interface Levels<R> {
  /** The first has those who lead, each next one those who report to one before. */
  levels: R[][];
  /** Those who report to themselves by way of others, and who report to these. */
  circular: R[];
}

/** A superior who is not among the records counts as none. */
export function levelsFromTheTop<R extends Reporting>(records: readonly R[]): Levels<R> {
  const names = new Set(records.map(({ recordName }) => recordName));
  const reporting = new Map<string, R[]>();
  let level: R[] = [];
  for (const record of records) {
    const { reportsTo } = record;
    if (reportsTo === null || !names.has(reportsTo)) level.push(record);
    else {
      const others = reporting.get(reportsTo);
      if (others) others.push(record);
      else reporting.set(reportsTo, [record]);
    }
  }
  const levels: R[][] = [];
  let placed = 0;
  while (level.length > 0) {
    levels.push(level);
    placed += level.length;
    level = level.flatMap(({ recordName }) => reporting.get(recordName) ?? []);
  }
  if (placed === records.length) return { levels, circular: [] };
  const ordered = new Set(levels.flat());
  return { levels, circular: records.filter(record => !ordered.has(record)) };
}
