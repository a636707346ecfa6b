/** Works on `employee-resync` jobs. */
import type { z } from 'zod';
import { callsMade } from '../../core/integrations/kit/call-context.ts';
import { defineHandler, type JobContext, type JobHeld, type JobSuccess } from '../../core/jobs/handler.ts';
import type { WorkerServices } from '../services.ts';
import { EmployeeResyncConfig } from './config.ts';
import contract from './contract.ts';
import { deleteAll } from './delete-all.ts';
import { HeldPlan } from './held-plan.ts';
import type { Outcome } from './outcome.ts';
import { openParts, type ResyncParts } from './parts.ts';
import { restore } from './restore.ts';
import { resync } from './resync.ts';

type Payload = z.output<typeof contract.payload>;
type Result = z.input<typeof contract.result>;

export default defineHandler({
  job: contract,
  config: EmployeeResyncConfig,
  async open(config, services: WorkerServices) {
    return { handle: (payload, context) => run(services, config, payload, context), close: async () => {} };
  },
});

async function run(
  services: WorkerServices,
  config: EmployeeResyncConfig,
  payload: Payload,
  context: JobContext,
): Promise<JobSuccess<Result> | JobHeld<Result>> {
  const parts = openParts(services, config, context, payload.dryRun);
  const released = context.released && HeldPlan.parse(context.released.plan);
  const { heldBecause, plan, listed, snapshotId } = await work(parts, payload, released);
  const result: Result = {
    ...parts.report.finish(callsMade()),
    ...(heldBecause.length > 0 && { heldBecause }),
    mode: payload.mode,
    snapshotId,
    listed,
  };
  return heldBecause.length > 0 && !payload.dryRun ? { held: { report: result, plan } } : { result };
}

function work(parts: ResyncParts, payload: Payload, released: HeldPlan | undefined): Promise<Outcome> {
  const { mode, dryRun, snapshotId = '' } = payload;
  switch (mode) {
    case 'resync':
      return resync(parts, { dryRun }, released);
    case 'delete-all':
      return deleteAll(parts, { dryRun }, released);
    case 'restore':
      return restore(parts, { dryRun, snapshotId }, released);
  }
}
