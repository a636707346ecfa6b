/** Applies a plan: first to the employee records, then to the local list, which is replaced in one transaction. */
import type { EmployeeView } from '../../core/domain/employees/employee-view.ts';
import { unlessRejected } from '../../core/sync/rejected-row.ts';
import { forEachRecord, type ResyncContext } from './context.ts';
import type { EmployeePlan, RecordUpdate } from './plan.ts';
import { stateKinds } from './sources.ts';

/** May be repeated: a retry reads the systems again and finds what was written. @returns the number of listed employees */
export async function applyPlan(context: ResyncContext, plan: EmployeePlan): Promise<number> {
  const { records, report, job } = context;
  for (const name of plan.newDepartments)
    await unlessRejected(`department ${name}`, context, () => records.addDepartment(name));
  for (const name of plan.newDesignations)
    await unlessRejected(`designation ${name}`, context, () => records.addDesignation(name));

  const rejected = new Map<string, EmployeeView>();
  const gone = new Set<string>();
  const update = async ({ recordName, number, change, instead }: RecordUpdate): Promise<void> => {
    const isDone = await unlessRejected(number, context, async () => {
      if (!(await records.update(recordName, change))) gone.add(recordName);
    });
    if (!isDone) rejected.set(recordName, instead);
  };
  await forEachRecord(plan.updates, context, update, done =>
    job.progress('records', done, plan.updates.length, 20 + (75 * done) / plan.updates.length),
  );

  const byNumber = new Map(plan.list.map(employee => [employee.number, employee]));
  const countDone = (numbers: readonly string[]): number =>
    numbers.filter(number => !rejected.has(byNumber.get(number)?.recordName ?? '')).length;
  report.count('created', countDone(plan.created));
  report.count('updated', countDone(plan.updated));
  report.count('deleted', plan.deleted.length);
  const list = plan.list
    .filter(({ recordName }) => recordName === null || !gone.has(recordName))
    .map(employee => rejected.get(employee.recordName ?? '') ?? employee);
  await replaceList(context, plan, list);
  return list.length;
}

/** The new list if none of the record updates is made. */
export function listWithoutUpdates({ list, updates }: EmployeePlan): EmployeeView[] {
  const recorded = new Map(updates.map(({ recordName, instead }) => [recordName, instead]));
  return list.map(employee => recorded.get(employee.recordName ?? '') ?? employee);
}

export async function replaceList(
  { employees, states, job }: ResyncContext,
  { asOf: startedAt, read }: EmployeePlan,
  list: readonly EmployeeView[],
): Promise<void> {
  const asOf = new Date(startedAt);
  await employees.replace(list, asOf, async db => {
    await states.write(stateKinds.records, { asOf, fullAt: asOf, read: read.records }, db);
    await states.write(stateKinds.directory, { asOf, fullAt: asOf, read: read.directory }, db);
    await states.write(stateKinds.crm, { asOf, fullAt: asOf, read: read.crm }, db);
    await job.confirmClaim(db);
  });
}
