/** Plans a resync: the updates of the employee records and the new local list. */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { EmployeeView, type Managers, toView } from '../../core/domain/employees/employee-view.ts';
import { EmployeeChange } from '../../core/integrations/employee-records/employee.ts';
import { SyncRow } from '../../core/sync/report.ts';
import { fieldPrecedence, type Merged, mergePerson } from './field-precedence.ts';
import { type EmployeeSources, joinEmployees, type Person } from './join.ts';

const RecordUpdate = z.object({
  recordName: z.string(),
  number: z.string(),
  change: EmployeeChange,
  /** The employee in the list if the records reject the change. */
  instead: EmployeeView,
});
export type RecordUpdate = z.infer<typeof RecordUpdate>;

/** Stored as JSON with a held run, which applies exactly this plan when released. */
export const EmployeePlan = z.object({
  /** Start of the read. */
  asOf: z.iso.datetime(),
  read: z.object({ records: z.int(), directory: z.int(), crm: z.int() }),
  /** The complete new list, ordered by number. */
  list: z.array(EmployeeView),
  updates: z.array(RecordUpdate),
  /** Used by the updates, but by no record yet: created before the updates. */
  newDepartments: z.array(z.string()),
  newDesignations: z.array(z.string()),
  /** Conflicts, ambiguities, and employees that a system does not have. */
  doubts: z.array(SyncRow),
  skippedUsers: z.int(),
  /** These four compare with the old list. */
  matched: z.int(),
  created: z.array(z.string()),
  updated: z.array(z.string()),
  deleted: z.array(z.string()),
});
export type EmployeePlan = z.infer<typeof EmployeePlan>;

export type Planned = ReturnType<typeof planEmployees>;

interface PlanOptions {
  asOf: Date;
  /** The old list. */
  known: readonly EmployeeView[];
  /** True if the records have the field: ids of other systems are custom fields there. */
  isStored: (field: WrittenField) => boolean;
}

export function planEmployees(sources: EmployeeSources, { asOf, known, isStored }: PlanOptions) {
  const joined = joinEmployees(sources, numbersByDirectoryId(known));
  const managers = managersOf(joined.persons);
  const merged = joined.persons.map(person => mergePerson(person, managers));
  const writes = merged.flatMap(one => writeFor(one, isStored));
  const updates = writes.map(({ update }) => update);
  const list = merged.map(({ employee }) => employee).sort((a, b) => (a.number < b.number ? -1 : 1));
  const before = new Map(known.map(employee => [employee.number, employee]));
  const after = new Set(list.map(({ number }) => number));
  const changed = new Set(updates.map(({ number }) => number));
  const isSame = (employee: EmployeeView): boolean =>
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
    doubts: [...joined.warnings, ...merged.flatMap(({ conflicts }) => conflicts)].map(
      ({ number, outcome, reason }) => ({ key: number, outcome, reason }),
    ),
    skippedUsers: joined.skippedUsers,
    matched: list.filter(isSame).length,
    created: numbersOf(list.filter(({ number }) => !before.has(number))),
    updated: numbersOf(list.filter(employee => before.has(employee.number) && !isSame(employee))),
    deleted: numbersOf(known.filter(({ number }) => !after.has(number))),
  };
  return {
    plan,
    /** The old list by number. */
    before,
    current: joined.current,
    /** Number of records in which the updates replace a value, instead of filling an empty field. */
    overwritten: writes.filter(({ overwrites }) => overwrites).length,
  };
}

const numbersOf = (employees: readonly EmployeeView[]): string[] => employees.map(({ number }) => number);

const numbersByDirectoryId = (known: readonly EmployeeView[]): Map<string, string> =>
  new Map(known.flatMap(({ directoryId, number }) => (directoryId === null ? [] : [[directoryId, number]])));

function managersOf(persons: readonly Person[]): Managers {
  const byRecord = new Map(persons.map(({ record, number }) => [record?.recordName, number]));
  const byUser = new Map(persons.map(({ user, number }) => [user?.id, number]));
  return {
    ofRecord: recordName => (recordName === null ? null : (byRecord.get(recordName) ?? null)),
    ofUser: id => (id === null ? null : (byUser.get(id) ?? null)),
  };
}

const writtenFields = (
  ['employeeNumber', 'email', 'phone', 'department', 'designation', 'status', 'crmId', 'directoryId'] as const
).filter(field => fieldPrecedence[field].written);
type WrittenField = (typeof writtenFields)[number];

/** The update of a record whose normalized fields differ; empty if none does. */
function writeFor({ employee, recorded }: Merged, isStored: PlanOptions['isStored']) {
  const { recordName, number } = employee;
  if (!recorded || recordName === null) return [];
  const fields = writtenFields.filter(field => isStored(field) && employee[field] !== recorded[field]);
  if (fields.length === 0) return [];
  const change = EmployeeChange.parse(
    Object.fromEntries(fields.map(field => [field, employee[field]?.toString() ?? null])),
  );
  const recordNumber = employee.employeeNumber === recorded.employeeNumber ? number : recordName;
  const ids = { crmId: employee.crmId, directoryId: employee.directoryId };
  const instead = toView(recordNumber, recordName, { ...recorded, ...ids });
  return [
    {
      update: { recordName, number, change, instead },
      overwrites: fields.some(field => recorded[field] !== null),
    },
  ];
}

/** Departments or designations that the updates use and no record has. */
function missing(
  field: 'department' | 'designation',
  writes: readonly { update: RecordUpdate }[],
  { records }: EmployeeSources,
): string[] {
  const inUse = new Set(records.map(record => record[field]));
  const wanted = writes.map(({ update }) => update.change[field] ?? null);
  return [...new Set(wanted)].filter(name => name !== null).filter(name => !inUse.has(name));
}
