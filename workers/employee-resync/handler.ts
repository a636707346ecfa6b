/** Handles `employee-resync` jobs. */
import type { z } from 'zod';
import { callsMade } from '../../core/integrations/kit/call-context.ts';
import { defineHandler, type JobContext, type JobHeld, type JobSuccess } from '../../core/jobs/handler.ts';
import type { PlaceOfChanges } from '../../core/jobs/planned-effect.ts';
import { groupChanges, placeMembers, type SyncReport } from '../../core/sync/report.ts';
import type { WorkerServices } from '../services.ts';
import { createResyncContext, EmployeeResyncConfig, HeldPlan, type Outcome, type ResyncContext } from './context.ts';
import contract, { type ResyncTargets } from './contract.ts';
import { deleteAll } from './delete-all.ts';
import { restore } from './restore.ts';
import { resync } from './resync.ts';

type Payload = z.output<typeof contract.payload>;
type Result = z.input<typeof contract.result>;

export default defineHandler({
  job: contract,
  config: EmployeeResyncConfig,
  async open(config, services: WorkerServices) {
    return { handle: (payload, job) => run(services, config, payload, job) };
  },
});

async function run(
  services: WorkerServices,
  config: EmployeeResyncConfig,
  payload: Payload,
  job: JobContext,
): Promise<JobSuccess<Result> | JobHeld<Result>> {
  const context = createResyncContext(services, config, job, payload.dryRun);
  const released = job.released && HeldPlan.parse(job.released.plan);
  const { heldBecause, plan, listed, snapshotId, targets, rows } = await runMode(context, payload, released);
  const finished = context.report.finish(callsMade());
  const result: Result = {
    ...finished,
    ...placeMembers(heldBecause, placesOf(finished, targets, rows)),
    mode: payload.mode,
    snapshotId,
    listed,
    ...(targets && { targets }),
  };
  if (payload.dryRun || heldBecause.length === 0) return { result };
  return { held: { report: result, plan, changes: groupChanges(context.report.planned) } };
}

function placesOf(
  { created, updated, deleted }: SyncReport,
  targets: ResyncTargets | undefined,
  { records, list }: Outcome['rows'],
): PlaceOfChanges[] {
  const place = 'the employee records';
  if (!targets) return [{ place, created, updated, deleted, rows: records }];
  const { localList, employeeRecords } = targets;
  return [
    {
      place: 'the local list',
      created: localList.created,
      updated: localList.updated,
      deleted: localList.deleted,
      rows: list,
    },
    { place, created: 0, updated: employeeRecords.updated, deleted: 0, rows: records },
  ];
}

function runMode(
  context: ResyncContext,
  { mode, dryRun, onLinked, relievingDate, snapshotId = '' }: Payload,
  released: HeldPlan | undefined,
): Promise<Outcome> {
  switch (mode) {
    case 'resync':
      return resync(context, { dryRun }, released);
    case 'delete-all':
      return deleteAll(context, { dryRun, onLinked, relievingDate }, released);
    case 'restore':
      return restore(context, { dryRun, snapshotId }, released);
  }
}
