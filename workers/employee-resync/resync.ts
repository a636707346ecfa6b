/** Brings all employees up to date: updates the records with the fields of other systems, and replaces the list. */
import { EmployeeField, type EmployeeView } from '../../core/domain/employees/employee-view.ts';
import { ServiceError } from '../../core/runtime/errors.ts';
import { unlessRejected } from '../../core/sync/rejected-row.ts';
import { forEachRecord, fullName, type HeldPlan, type Outcome, type ResyncContext } from './context.ts';
import type { EmployeePlan, RecordUpdate } from './plan.ts';
import { planFrom, readSources, reasonsFromChanges, reasonsFromSources, replaceList, stateKinds } from './sources.ts';
import { reasonsFromWrites, targetsOf } from './targets.ts';

export async function resync(
  context: ResyncContext,
  { dryRun }: { dryRun: boolean },
  released: HeldPlan | undefined,
): Promise<Outcome> {
  const { plan, before, heldBecause } =
    released?.mode === 'resync' ? await releasedPlan(context, released.plan) : await makePlan(context);
  reportRead(context, plan);
  const rows = { records: plan.read.records, list: plan.matched + plan.updated.length + plan.deleted.length };
  if (dryRun || heldBecause.length > 0) {
    reportPlanned(context, plan, before);
    const held = { mode: 'resync', plan } as const;
    return { heldBecause, plan: held, listed: plan.list.length, snapshotId: null, targets: targetsOf(plan), rows };
  }
  const { listed, targets } = await applyPlan(context, plan);
  await context.snapshots.deleteExpired();
  return { heldBecause, listed, snapshotId: null, targets, rows };
}

async function makePlan(context: ResyncContext) {
  const read = await readSources(context);
  const planned = await planFrom(context, read);
  const { plan, before, current } = planned;
  const known = plan.matched + plan.updated.length + plan.deleted.length;
  const fromSources = reasonsFromSources(read.sources, current, read.lastRead);
  const writes = { isFirstRun: read.lastRead.records === undefined, limit: context.statusChangeLimit };
  const heldBecause = [...fromSources, ...reasonsFromChanges(planned, known), ...reasonsFromWrites(plan, writes)];
  return { plan, before, heldBecause };
}

/** @throws ServiceError conflict if a newer resync was applied since the job was held */
async function releasedPlan({ states }: ResyncContext, plan: EmployeePlan) {
  const state = await states.read(stateKinds.records);
  if (state && state.asOf > new Date(plan.asOf))
    throw new ServiceError('conflict', 'A newer resync was applied after this one was held; nothing was changed.');
  return { plan, before: new Map(), heldBecause: [] };
}

function reportRead({ report }: ResyncContext, { read, matched, skippedUsers, doubts }: EmployeePlan): void {
  report.count('read', read.records + read.directory + read.crm);
  report.count('matched', matched);
  report.count('skipped', skippedUsers);
  for (const row of doubts) report.row(row);
}

function reportPlanned({ report }: ResyncContext, plan: EmployeePlan, before: Map<string, EmployeeView>): void {
  const updates = new Map(plan.updates.map(update => [update.number, update]));
  const after = new Map(plan.list.map(employee => [employee.number, employee]));
  for (const { key, outcome, reason: detail } of plan.doubts) {
    const named = { key, outcome, name: fullName(after.get(key)) };
    report.planned.push({
      ...named,
      ...(outcome === 'skipped' ? { reason: detail } : { reason: 'The systems do not agree.', detail }),
    });
  }
  for (const outcome of ['created', 'updated', 'deleted'] as const) {
    for (const key of plan[outcome]) {
      const update = updates.get(key);
      const [old, now] = [update?.instead ?? before.get(key), after.get(key)];
      const changed = old && now ? differences(old, now) : [];
      const written = update && `In the local list; in the employee records: ${Object.keys(update.change).join(', ')}.`;
      const reason = {
        created: now?.recordName === null ? 'Only in the identity directory.' : 'New in the employee records.',
        updated: `In the local list only: ${changed.map(({ field }) => field).join(', ')}.`,
        deleted: 'Neither the employee records nor the identity directory have the employee any more.',
      }[outcome];
      const detail = changed.map(({ text }) => text).join('; ') || undefined;
      report.countRow({ key, outcome, reason: written ?? reason }, { name: fullName(now ?? old), detail });
    }
  }
}

/** The fields that differ, with the old and the new value. */
function differences(old: EmployeeView, now: EmployeeView): { field: string; text: string }[] {
  return EmployeeField.options
    .filter(field => old[field] !== now[field])
    .map(field => ({ field, text: `${field}: ${old[field] ?? 'none'} → ${now[field] ?? 'none'}` }));
}

/** May be repeated: a retry reads the systems again and finds what was written. @returns the number of listed employees */
async function applyPlan(context: ResyncContext, plan: EmployeePlan) {
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
  const failed = new Set(
    plan.updates
      .filter(({ recordName }) => rejected.has(recordName) || gone.has(recordName))
      .map(({ number }) => number),
  );
  return { listed: list.length, targets: targetsOf(plan, number => !failed.has(number)) };
}
