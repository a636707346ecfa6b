/** What a resync changes in each of its targets: the local list and the records system. */
import type { EmployeeStatus } from '../../core/integrations/employee-records/employee.ts';
import type { SyncRow } from '../../core/sync/report.ts';
import type { ResyncTargets } from './contract.ts';
import { fieldPrecedence } from './field-precedence.ts';
import type { EmployeePlan, RecordUpdate } from './plan.ts';

const maxRows = 1_000;

type StatusChange = 'suspended' | 'reactivated' | 'other';

/** Undefined: the status stays. */
function statusChangeOf({ change, instead }: RecordUpdate): StatusChange | undefined {
  const to: EmployeeStatus | undefined = change.status;
  if (to === undefined || to === instead.status) return undefined;
  return to === 'Suspended' ? 'suspended' : to === 'Active' ? 'reactivated' : 'other';
}

/** @param isDone whether a planned change was made; of a dry or held run, all are */
export function targetsOf(plan: EmployeePlan, isDone: (number: string) => boolean = () => true): ResyncTargets {
  const updates = plan.updates.filter(({ number }) => isDone(number));
  const countOf = (kind: StatusChange) => updates.filter(update => statusChangeOf(update) === kind).length;
  const listRows = (['created', 'updated', 'deleted'] as const).flatMap(outcome =>
    plan[outcome].filter(isDone).map((key): SyncRow => ({ key, outcome, reason: 'In the local list.' })),
  );
  const lists = { created: plan.created.filter(isDone).length, updated: plan.updated.filter(isDone).length };
  return {
    localList: { ...lists, deleted: plan.deleted.filter(isDone).length, ...cut(listRows) },
    employeeRecords: {
      updated: updates.length,
      suspended: countOf('suspended'),
      reactivated: countOf('reactivated'),
      ...cut(updates.map(rowOf)),
    },
  };
}

/** The changed fields, with the values of fields that are not personal data. */
function rowOf({ number, change, instead }: RecordUpdate): SyncRow {
  const before = new Map<string, unknown>(Object.entries(instead));
  const precedence = new Map(Object.entries(fieldPrecedence));
  const texts = Object.entries(change).map(([field, value]) =>
    field === 'status' && precedence.get(field)?.quoted ? `status: ${before.get(field) ?? 'none'} → ${value}` : field,
  );
  return { key: number, outcome: 'updated', reason: `In the employee records: ${texts.join(', ')}.` };
}

const cut = (all: SyncRow[]) => ({ rows: all.slice(0, maxRows), rowsLeftOut: Math.max(0, all.length - maxRows) });

/** @returns one sentence for each kind of write that a person must confirm */
export function reasonsFromWrites(
  { updates }: EmployeePlan,
  { isFirstRun, limit }: { isFirstRun: boolean; limit: number },
): string[] {
  const changes = updates.flatMap(update => statusChangeOf(update) ?? []);
  const countOf = (kind: StatusChange) => changes.filter(change => change === kind).length;
  const kinds = `${countOf('suspended')} would be suspended, ${countOf('reactivated')} reactivated`;
  return [
    ...(isFirstRun && updates.length > 0
      ? [`This is the first resync: it would update ${updates.length} employee records, of which ${kinds}.`]
      : []),
    ...(changes.length > limit
      ? [`The status of ${changes.length} employees would change (limit ${limit}): ${kinds}.`]
      : []),
  ];
}
