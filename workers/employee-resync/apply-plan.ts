/** Carries a plan out: first in the employee records, then in the local list, which readers see change at once. */
import type { ListedEmployee } from '../../core/domain/employees/employee.ts';
import { inLanes, unlessRefused } from './lanes.ts';
import { stateKinds } from './make-plan.ts';
import type { ResyncParts } from './parts.ts';
import type { EmployeePlan, RecordUpdate } from './plan.ts';

/** Repeatable: a run that was killed reads anew and finds what was written. @returns how many are listed then */
export async function applyPlan(parts: ResyncParts, plan: EmployeePlan): Promise<number> {
  const { records, report, context } = parts;
  for (const name of plan.newDepartments)
    await unlessRefused(`department ${name}`, parts, () => records.addDepartment(name));
  for (const name of plan.newDesignations)
    await unlessRefused(`designation ${name}`, parts, () => records.addDesignation(name));

  const refused = new Map<string, ListedEmployee>();
  const gone = new Set<string>();
  const update = async ({ recordName, number, change, instead }: RecordUpdate): Promise<void> => {
    const isDone = await unlessRefused(number, parts, async () => {
      if (!(await records.update(recordName, change))) gone.add(recordName);
    });
    if (!isDone) refused.set(recordName, instead);
  };
  await inLanes(plan.updates, context, update, done =>
    context.progress('records', done, plan.updates.length, 20 + (75 * done) / plan.updates.length),
  );

  const isRefused = new Set([...refused.values()].map(({ recordName }) => recordName));
  const byNumber = new Map(plan.list.map(employee => [employee.number, employee]));
  const counted = (numbers: readonly string[]): number =>
    numbers.filter(number => !isRefused.has(byNumber.get(number)?.recordName ?? null)).length;
  report.count('created', counted(plan.created));
  report.count('updated', counted(plan.updated));
  report.count('deleted', plan.deleted.length);
  const list = plan.list
    .filter(({ recordName }) => recordName === null || !gone.has(recordName))
    .map(employee => refused.get(employee.recordName ?? '') ?? employee);
  await putList(parts, plan, list);
  return list.length;
}

/** The list as the records are, where nothing is written into them. */
export function listAsRecorded({ list, updates }: EmployeePlan): ListedEmployee[] {
  const recorded = new Map(updates.map(({ recordName, instead }) => [recordName, instead]));
  return list.map(employee => recorded.get(employee.recordName ?? '') ?? employee);
}

/** Readers see the old list or this one. */
export async function putList(
  { employees, states, context }: ResyncParts,
  { asOf: begun, read }: EmployeePlan,
  list: readonly ListedEmployee[],
): Promise<void> {
  const asOf = new Date(begun);
  await employees.replace(list, asOf, async db => {
    await states.write(stateKinds.records, { asOf, fullAt: asOf, read: read.records }, db);
    await states.write(stateKinds.directory, { asOf, fullAt: asOf, read: read.directory }, db);
    await states.write(stateKinds.crm, { asOf, fullAt: asOf, read: read.crm }, db);
    await context.confirmClaim(db);
  });
}
