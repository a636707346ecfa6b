/** Reads, plans, lets the guard look at the plan, and carries it out. */
import { z } from 'zod';
import { createPortalLocations } from '../../core/domain/locations/portal-locations.ts';
import crmSystem from '../../core/integrations/crm/system.ts';
import { callsMade } from '../../core/integrations/kit/call-context.ts';
import { defineHandler, type JobContext, type JobHeld, type JobSuccess } from '../../core/jobs/handler.ts';
import { type ReportWriter, startReport } from '../../core/sync/report.ts';
import { applyToCrm } from './apply-plan.ts';
import contract from './contract.ts';
import { HeldPlan } from './held-plan.ts';
import { makePlan, type SyncServices } from './make-plan.ts';
import { tellPlan, untouchedCopy } from './tell-plan.ts';

type Payload = z.output<typeof contract.payload>;
type Result = z.input<typeof contract.result>;

export default defineHandler({
  job: contract,
  config: z.object({}),
  async open(_, services: SyncServices) {
    return { handle: (payload, context) => run(services, payload, context), close: async () => {} };
  },
});

async function run(
  services: SyncServices,
  payload: Payload,
  context: JobContext,
): Promise<JobSuccess<Result> | JobHeld<Result>> {
  const report = startReport({ dryRun: payload.dryRun });
  const released = context.released && HeldPlan.parse(context.released.plan);
  const isDecided = released?.stage === 'apply';
  const { plan, heldBecause } = isDecided
    ? { plan: released, heldBecause: [] }
    : await makePlan(services, payload, context, released);
  const result = (copy: Result['copy']): Result => ({
    ...report.finish(callsMade()),
    ...(heldBecause.length > 0 && { heldBecause }),
    ...{ what: payload.what, city: payload.city ?? null, copy },
  });

  if (plan.stage === 'crm-copy') return { held: { report: result(untouchedCopy), plan } };
  const carriesOut = !payload.dryRun && heldBecause.length === 0;
  const copy = tellPlan(report, plan, carriesOut);
  if (payload.dryRun) return { result: result(copy) };
  if (!carriesOut) return { held: { report: result(copy), plan } };
  await carryOut(services, payload, context, plan, report);
  return { result: result(copy) };
}

async function carryOut(
  { database, systems, effects }: SyncServices,
  { city }: Payload,
  context: JobContext,
  plan: Extract<HeldPlan, { stage: 'apply' }>,
  report: ReportWriter,
): Promise<void> {
  const copy = createPortalLocations(database);
  await copy.change(plan.portal, { city, read: plan.read, asOf: new Date(plan.asOf) }, context.confirmClaim);
  if (!plan.crm) return;
  await applyToCrm({ crm: crmSystem.at(systems), database, effects, context, report }, plan.crm);
}
