/** Handles `location-sync` jobs: reads, plans, checks the plan, and applies it. */
import { z } from 'zod';
import { createPortalLocations } from '../../core/domain/locations/portal-locations.ts';
import crmSystem from '../../core/integrations/crm/system.ts';
import { callsMade } from '../../core/integrations/kit/call-context.ts';
import { defineHandler, type JobContext, type JobHeld, type JobSuccess } from '../../core/jobs/handler.ts';
import { type ReportWriter, startReport } from '../../core/sync/report.ts';
import { applyToCrm } from './apply-plan.ts';
import contract from './contract.ts';
import { type ApplyPlan, HeldPlan, makePlan, reportPlan, type SyncServices, unchangedCopy } from './plan.ts';

type Payload = z.output<typeof contract.payload>;
type Result = z.input<typeof contract.result>;

export default defineHandler({
  job: contract,
  config: z.object({}),
  async open(_, services: SyncServices) {
    return { handle: (payload, context) => run(services, payload, context) };
  },
});

async function run(
  services: SyncServices,
  payload: Payload,
  context: JobContext,
): Promise<JobSuccess<Result> | JobHeld<Result>> {
  const report = startReport({ dryRun: payload.dryRun });
  const released = context.released && HeldPlan.parse(context.released.plan);
  const { plan, heldBecause } =
    released?.stage === 'apply'
      ? { plan: released, heldBecause: [] }
      : await makePlan(services, payload, context, released);
  const result = (copy: Result['copy']): Result => ({
    ...report.finish(callsMade()),
    ...(heldBecause.length > 0 && { heldBecause }),
    ...{ what: payload.what, city: payload.city ?? null, copy },
  });

  if (plan.stage === 'crm-copy') return { held: { report: result(unchangedCopy), plan } };
  const isApplied = !payload.dryRun && heldBecause.length === 0;
  const copy = reportPlan(report, plan, isApplied);
  if (payload.dryRun) return { result: result(copy) };
  if (!isApplied) return { held: { report: result(copy), plan } };
  await apply(services, payload, context, plan, report);
  return { result: result(copy) };
}

async function apply(
  { database, systems, effects }: SyncServices,
  { city }: Payload,
  context: JobContext,
  plan: ApplyPlan,
  report: ReportWriter,
): Promise<void> {
  const mirror = createPortalLocations(database);
  await mirror.change(plan.portal, { city, read: plan.read, asOf: new Date(plan.asOf) }, context.confirmClaim);
  if (!plan.crm) return;
  await applyToCrm({ crm: crmSystem.client(systems), database, effects, context, report }, plan.crm);
}
