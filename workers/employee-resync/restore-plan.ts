/** Plans the restore of the employee records from a snapshot. */
import type { Employee } from '../../core/integrations/employee-records/employee.ts';
import { levelsFromTop } from './reporting-lines.ts';

export type RestorePlan = ReturnType<typeof planRestore>;

export function planRestore(snapshot: readonly Employee[], now: readonly Employee[]) {
  const nameNow = nameFinder(snapshot, now);
  const present = new Map<string, string>();
  for (const record of snapshot) {
    const name = nameNow(record);
    if (name !== undefined) present.set(record.recordName, name);
  }
  const byName = new Map(now.map(record => [record.recordName, record]));
  const isSame = (record: Employee): boolean =>
    byName.get(present.get(record.recordName) ?? '')?.modifiedAt === record.modifiedAt;
  const { levels, circular } = levelsFromTop(snapshot);
  const existing = snapshot.filter(({ recordName }) => present.has(recordName));
  return {
    /** Record name in the snapshot → current record name, for records that exist. */
    present,
    /** By level, managers first; records with circular reporting lines last. */
    missing: [...levels, circular]
      .map(level => level.filter(({ recordName }) => !present.has(recordName)))
      .filter(level => level.length > 0),
    /** Existing records that changed since the snapshot. */
    changed: existing.filter(record => !isSame(record)),
    /** Number of unchanged records. */
    same: existing.filter(isSame).length,
  };
}

/**
 * Finds the current name of a snapshot record. A recreated record has another name, and a naming series may reuse names,
 * so records are matched by the person's data, or by an employee number that is unique.
 */
function nameFinder(snapshot: readonly Employee[], now: readonly Employee[]): (record: Employee) => string | undefined {
  const byPerson = new Map(now.map(record => [personKey(record), record.recordName]));
  const byNumber = uniqueByNumber(now);
  const own = uniqueByNumber(snapshot);
  return record => {
    const { employeeNumber: number } = record;
    const isUnique = number !== null && own.get(number) !== undefined;
    return byPerson.get(personKey(record)) ?? (isUnique ? byNumber.get(number) : undefined);
  };
}

const personKey = (record: Employee): string =>
  JSON.stringify([record.employeeNumber, record.firstName, record.lastName, record.dateOfBirth, record.dateOfJoining]);

/** Employee number → record name; undefined for a number of several records. */
function uniqueByNumber(records: readonly Employee[]): Map<string, string | undefined> {
  const names = new Map<string, string | undefined>();
  for (const { employeeNumber: number, recordName } of records)
    if (number !== null) names.set(number, names.has(number) ? undefined : recordName);
  return names;
}
