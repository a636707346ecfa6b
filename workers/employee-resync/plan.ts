/** What a resync will do: write into the employee records what others own, and make the local list anew. */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { ListedEmployee } from '../../core/domain/employees/employee.ts';
import { asListed, type Managers } from '../../core/domain/employees/listed-record.ts';
import { EmployeeChange } from '../../core/integrations/employee-records/employee.ts';
import { SyncRow } from '../../core/sync/report.ts';
import { type EmployeeSources, type Joined, joinEmployees, type Person } from './join.ts';
import { type Merged, mergePerson } from './merge.ts';
import { ownership } from './ownership.ts';

const RecordUpdate = z.object({
  recordName: z.string(),
  number: z.string(),
  change: EmployeeChange,
  /** The employee as the list has them when the records refuse the change. */
  instead: ListedEmployee,
});
export type RecordUpdate = z.infer<typeof RecordUpdate>;

/** JSON, so that a held run can carry out exactly this. */
export const EmployeePlan = z.object({
  /** When the reading began. */
  asOf: z.iso.datetime(),
  read: z.object({ records: z.int(), directory: z.int(), crm: z.int() }),
  /** The whole list as it will be, by number. */
  list: z.array(ListedEmployee),
  updates: z.array(RecordUpdate),
  /** Needed by the updates, and no record has them yet. */
  newDepartments: z.array(z.string()),
  newDesignations: z.array(z.string()),
  /** Conflicts, ambiguities, people whom a system does not know. */
  doubts: z.array(SyncRow),
  skippedUsers: z.int(),
  /** Compared with the list as it was. */
  matched: z.int(),
  created: z.array(z.string()),
  updated: z.array(z.string()),
  deleted: z.array(z.string()),
});
export type EmployeePlan = z.infer<typeof EmployeePlan>;

export interface Planned {
  plan: EmployeePlan;
  current: Joined['current'];
  /** Records in which a value would be replaced by another one, not filled in. */
  overwritten: number;
}

export interface PlanOptions {
  asOf: Date;
  /** The list as it is. */
  known: readonly ListedEmployee[];
  /** Whether the records have a place for the field: ids of other systems are custom fields there. */
  keeps: (field: WrittenField) => boolean;
}

export function planEmployees(sources: EmployeeSources, { asOf, known, keeps }: PlanOptions): Planned {
  const joined = joinEmployees(sources, numbersByDirectoryId(known));
  const managers = managersOf(joined.persons);
  const merged = joined.persons.map(person => mergePerson(person, managers));
  const writes = merged.flatMap(one => writeFor(one, keeps));
  const updates = writes.map(({ update }) => update);
  const list = merged.map(({ employee }) => employee).sort((a, b) => (a.number < b.number ? -1 : 1));
  const before = new Map(known.map(employee => [employee.number, employee]));
  const after = new Set(list.map(({ number }) => number));
  const changed = new Set(updates.map(({ number }) => number));
  const isSame = (employee: ListedEmployee): boolean =>
    !changed.has(employee.number) && isDeepStrictEqual(before.get(employee.number), employee);
  const plan: EmployeePlan = {
    asOf: asOf.toISOString(),
    read: {
      records: sources.records.length,
      directory: sources.directory.length,
      crm: sources.crm.length,
    },
    list,
    updates,
    newDepartments: missing('department', writes, sources),
    newDesignations: missing('designation', writes, sources),
    doubts: [...joined.doubts, ...merged.flatMap(({ conflicts }) => conflicts)].map(
      ({ number, outcome, reason }) => ({ key: number, outcome, reason }),
    ),
    skippedUsers: joined.skippedUsers,
    matched: list.filter(isSame).length,
    created: numbersOf(list.filter(({ number }) => !before.has(number))),
    updated: numbersOf(list.filter(employee => before.has(employee.number) && !isSame(employee))),
    deleted: numbersOf(known.filter(({ number }) => !after.has(number))),
  };
  return { plan, current: joined.current, overwritten: writes.filter(({ overwrites }) => overwrites).length };
}

const numbersOf = (employees: readonly ListedEmployee[]): string[] => employees.map(({ number }) => number);

const numbersByDirectoryId = (known: readonly ListedEmployee[]): Map<string, string> =>
  new Map(known.flatMap(({ directoryId, number }) => (directoryId === null ? [] : [[directoryId, number]])));

function managersOf(persons: readonly Person[]): Managers {
  const byRecord = new Map(persons.map(({ record, number }) => [record?.recordName, number]));
  const byUser = new Map(persons.map(({ user, number }) => [user?.id, number]));
  return {
    ofRecord: recordName => (recordName === null ? null : (byRecord.get(recordName) ?? null)),
    ofUser: id => (id === null ? null : (byUser.get(id) ?? null)),
  };
}

/** The fields that the records can be told, as the table says. */
const writtenFields = (
  ['employeeNumber', 'email', 'phone', 'department', 'designation', 'status', 'crmId', 'directoryId'] as const
).filter(field => ownership[field].written);
type WrittenField = (typeof writtenFields)[number];

interface Write {
  update: RecordUpdate;
  overwrites: boolean;
}

/** What the records are told: where their word, however spelled, is another. */
function writeFor({ employee, recorded }: Merged, keeps: PlanOptions['keeps']): Write[] {
  const { recordName, number } = employee;
  if (!recorded || recordName === null) return [];
  const fields = writtenFields.filter(field => keeps(field) && employee[field] !== recorded[field]);
  if (fields.length === 0) return [];
  const change = EmployeeChange.parse(
    Object.fromEntries(fields.map(field => [field, employee[field]?.toString() ?? null])),
  );
  const recordNumber = employee.employeeNumber === recorded.employeeNumber ? number : recordName;
  const ids = { crmId: employee.crmId, directoryId: employee.directoryId };
  const instead = asListed(recordNumber, recordName, { ...recorded, ...ids });
  return [
    {
      update: { recordName, number, change, instead },
      overwrites: fields.some(field => recorded[field] !== null),
    },
  ];
}

/** Departments and designations that no record has: they may have to be made first. */
function missing(
  field: 'department' | 'designation',
  writes: readonly Write[],
  { records }: EmployeeSources,
): string[] {
  const inUse = new Set(records.map(record => record[field]));
  const wanted = writes.map(({ update }) => update.change[field] ?? null);
  return [...new Set(wanted)].filter(name => name !== null).filter(name => !inUse.has(name));
}
