/** Handles `employee-resync` jobs. */
import type { z } from 'zod';
import { callsMade } from '../../core/integrations/kit/call-context.ts';
import { defineHandler, type JobContext, type JobHeld, type JobSuccess } from '../../core/jobs/handler.ts';
import type { PlaceOfChanges } from '../../core/sync/planned-effect.ts';
import { groupChanges, heldMembers, type SyncReport } from '../../core/sync/report.ts';
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
  const { heldBecause, plan, listed, snapshotId, targets } = await runMode(context, payload, released);
  const finished = context.report.finish(callsMade());
  const result: Result = {
    ...finished,
    ...heldMembers(heldBecause, placesOf(finished, targets)),
    mode: payload.mode,
    snapshotId,
    listed,
    ...(targets && { targets }),
  };
  if (payload.dryRun || heldBecause.length === 0) return { result };
  return { held: { report: result, plan, changes: groupChanges(context.report.planned) } };
}

function placesOf({ created, updated, deleted }: SyncReport, targets: ResyncTargets | undefined): PlaceOfChanges[] {
  if (!targets) return [{ place: 'the employee records', created, updated, deleted }];
  const { localList, employeeRecords } = targets;
  return [
    {
      place: 'the local list',
      created: localList.created,
      updated: localList.updated,
      deleted: localList.deleted,
    },
    { place: 'the employee records', created: 0, updated: employeeRecords.updated, deleted: 0 },
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
