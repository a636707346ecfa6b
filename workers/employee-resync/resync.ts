/** Brings everybody up to date: the records are told what others own, and the list is made anew. */

import { ServiceError } from '../../core/runtime/errors.ts';
import { applyPlan } from './apply-plan.ts';
import { doubtsOfChanges, doubtsOfSources } from './guard.ts';
import type { HeldPlan } from './held-plan.ts';
import { plan as makePlan, readSources, stateKinds } from './make-plan.ts';
import type { Outcome } from './outcome.ts';
import type { ResyncParts } from './parts.ts';
import type { EmployeePlan } from './plan.ts';

export async function resync(
  parts: ResyncParts,
  { dryRun }: { dryRun: boolean },
  released: HeldPlan | undefined,
): Promise<Outcome> {
  const { plan, heldBecause } =
    released?.mode === 'resync' ? await decided(parts, released.plan) : await planned(parts);
  tell(parts, plan);
  if (dryRun || heldBecause.length > 0) {
    foretell(parts, plan);
    return { heldBecause, plan: { mode: 'resync', plan }, listed: plan.list.length, snapshotId: null };
  }
  const listed = await applyPlan(parts, plan);
  await parts.snapshots.deleteExpired();
  return { heldBecause, listed, snapshotId: null };
}

async function planned(parts: ResyncParts): Promise<{ plan: EmployeePlan; heldBecause: string[] }> {
  const reading = await readSources(parts);
  const made = await makePlan(parts, reading);
  const known = made.plan.matched + made.plan.updated.length + made.plan.deleted.length;
  const { sources, lastRead } = reading;
  const heldBecause = [...doubtsOfSources(sources, made.current, lastRead), ...doubtsOfChanges(made, known)];
  return { plan: made.plan, heldBecause };
}

/** @throws ServiceError conflict when the employees have been brought up to date since */
async function decided({ states }: ResyncParts, plan: EmployeePlan) {
  const state = await states.read(stateKinds.records);
  if (state && state.asOf > new Date(plan.asOf))
    throw new ServiceError(
      'conflict',
      'A newer resync has been carried out since this one was held; nothing was changed.',
    );
  return { plan, heldBecause: [] };
}

function tell({ report }: ResyncParts, { read, matched, skippedUsers, doubts }: EmployeePlan): void {
  report.count('read', read.records + read.directory + read.crm);
  report.count('matched', matched);
  report.count('skipped', skippedUsers);
  for (const row of doubts) report.row(row);
}

function foretell({ report }: ResyncParts, plan: EmployeePlan): void {
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
