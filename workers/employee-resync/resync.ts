/** Brings all employees up to date: updates the records with the fields of other systems, and replaces the list. */
import { ServiceError } from '../../core/runtime/errors.ts';
import { applyPlan } from './apply-plan.ts';
import type { HeldPlan, Outcome, ResyncContext } from './context.ts';
import type { EmployeePlan } from './plan.ts';
import { planFrom, readSources, reasonsFromChanges, reasonsFromSources, stateKinds } from './sources.ts';

export async function resync(
  context: ResyncContext,
  { dryRun }: { dryRun: boolean },
  released: HeldPlan | undefined,
): Promise<Outcome> {
  const { plan, heldBecause } =
    released?.mode === 'resync' ? await releasedPlan(context, released.plan) : await makePlan(context);
  reportRead(context, plan);
  if (dryRun || heldBecause.length > 0) {
    reportPlanned(context, plan);
    return { heldBecause, plan: { mode: 'resync', plan }, listed: plan.list.length, snapshotId: null };
  }
  const listed = await applyPlan(context, plan);
  await context.snapshots.deleteExpired();
  return { heldBecause, listed, snapshotId: null };
}

async function makePlan(context: ResyncContext): Promise<{ plan: EmployeePlan; heldBecause: string[] }> {
  const read = await readSources(context);
  const planned = await planFrom(context, read);
  const { plan, current } = planned;
  const known = plan.matched + plan.updated.length + plan.deleted.length;
  const fromSources = reasonsFromSources(read.sources, current, read.lastRead);
  return { plan, heldBecause: [...fromSources, ...reasonsFromChanges(planned, known)] };
}

/** @throws ServiceError conflict if a newer resync was applied since the job was held */
async function releasedPlan({ states }: ResyncContext, plan: EmployeePlan) {
  const state = await states.read(stateKinds.records);
  if (state && state.asOf > new Date(plan.asOf))
    throw new ServiceError(
      'conflict',
      'A newer resync was applied after this one was held; nothing was changed.',
    );
  return { plan, heldBecause: [] };
}

function reportRead({ report }: ResyncContext, { read, matched, skippedUsers, doubts }: EmployeePlan): void {
  report.count('read', read.records + read.directory + read.crm);
  report.count('matched', matched);
  report.count('skipped', skippedUsers);
  for (const row of doubts) report.row(row);
}

function reportPlanned({ report }: ResyncContext, plan: EmployeePlan): void {
  const fields = new Map(plan.updates.map(({ number, change }) => [number, Object.keys(change).join(', ')]));
  for (const outcome of ['created', 'updated', 'deleted'] as const) {
    report.count(outcome, plan[outcome].length);
    for (const key of plan[outcome]) {
      const written = fields.get(key);
      const inRecords = written === undefined ? '' : `; in the employee records: ${written}`;
      report.row({ key, outcome, reason: `In the local list${inRecords}.` });
    }
  }
}
