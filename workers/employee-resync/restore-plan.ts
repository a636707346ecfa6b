/** What is to be done so that the records are again as a snapshot has them. */
import type { Employee } from '../../core/integrations/employee-records/employee.ts';
import { levelsFromTheTop } from './reporting-lines.ts';

export interface RestorePlan {
  /** Snapshot's record name → the name that the record has now, where it is there. */
  present: Map<string, string>;
  /** Missing ones, level by level from the top; then those whose lines of report run in a circle. */
  missing: Employee[][];
  /** There, and changed since the snapshot. */
  changed: Employee[];
  /** There and as they were. */
  same: number;
}

/**
 * @param snapshot the records as they were
 * @param now the records as they are
 */
export function planRestore(snapshot: readonly Employee[], now: readonly Employee[]): RestorePlan {
  const nameNow = findersOf(snapshot, now);
  const present = new Map<string, string>();
  for (const record of snapshot) {
    const name = nameNow(record);
    if (name !== undefined) present.set(record.recordName, name);
  }
  const byName = new Map(now.map(record => [record.recordName, record]));
  const isSame = (record: Employee): boolean =>
    byName.get(present.get(record.recordName) ?? '')?.modifiedAt === record.modifiedAt;
  const { levels, circular } = levelsFromTheTop(snapshot);
  const there = snapshot.filter(({ recordName }) => present.has(recordName));
  return {
    present,
    missing: [...levels, circular]
      .map(level => level.filter(({ recordName }) => !present.has(recordName)))
      .filter(level => level.length > 0),
    changed: there.filter(record => !isSame(record)),
    same: there.filter(isSame).length,
  };
}

/**
 * A record that was made anew has another name: it is known by its employee number and, because a number may be there
 * twice, by what it says of the person. A name alone is not enough: a naming series may begin anew.
 * @returns finds the name that a record of the snapshot has now
 */
function findersOf(
  snapshot: readonly Employee[],
  now: readonly Employee[],
): (record: Employee) => string | undefined {
  const byPerson = new Map(now.map(record => [personKey(record), record.recordName]));
  const byNumber = uniqueByNumber(now);
  const own = uniqueByNumber(snapshot);
  return record => {
    const { employeeNumber: number } = record;
    const isTelling = number !== null && own.get(number) !== undefined;
    return byPerson.get(personKey(record)) ?? (isTelling ? byNumber.get(number) : undefined);
  };
}

const personKey = (record: Employee): string =>
  JSON.stringify([
    record.employeeNumber,
    record.firstName,
    record.lastName,
    record.dateOfBirth,
    record.dateOfJoining,
  ]);

/** Numbers that one record has → its name; that several have → undefined. */
function uniqueByNumber(records: readonly Employee[]): Map<string, string | undefined> {
  const names = new Map<string, string | undefined>();
  for (const { employeeNumber: number, recordName } of records)
    if (number !== null) names.set(number, names.has(number) ? undefined : recordName);
  return names;
}
