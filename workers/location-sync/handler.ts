/** Handles `location-sync` jobs: reads, plans, checks the plan, and applies it. */
import { z } from 'zod';
import { createPortalLocations } from '../../core/domain/locations/portal-locations.ts';
import crmSystem from '../../core/integrations/crm/system.ts';
import { callsMade } from '../../core/integrations/kit/call-context.ts';
import { defineHandler, type JobContext, type JobHeld, type JobSuccess } from '../../core/jobs/handler.ts';
import { startReport } from '../../core/sync/report.ts';
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
  const begun = await begunPlan(services, context);
  const released = context.released && HeldPlan.parse(context.released.plan);
  const ready = begun ?? (released?.stage === 'apply' ? released : undefined);
  const { plan, heldBecause, changes } = ready
    ? { plan: ready, heldBecause: [], changes: [] }
    : await makePlan(services, payload, context, released);
  const result = (copy: Result['copy']): Result => ({
    ...report.finish(callsMade()),
    ...(heldBecause.length > 0 && { heldBecause }),
    ...{ what: payload.what, city: payload.city ?? null, copy },
  });

  if (plan.stage === 'crm-copy') return { held: { report: result(unchangedCopy), plan, changes } };
  const isApplied = !payload.dryRun && heldBecause.length === 0;
  const copy = reportPlan(report, plan, isApplied);
  if (payload.dryRun) return { result: result(copy) };
  if (!isApplied) return { held: { report: result(copy), plan, changes } };
  if (!begun) await changeMirror(services, payload, context, plan);
  if (plan.crm) await applyToCrm({ ...services, crm: crmSystem.client(services.systems), context, report }, plan.crm);
  return { result: result(copy) };
}

/** The plan that an earlier run of the job began to apply to the CRM; undefined if the portal was read again since. */
async function begunPlan({ database }: SyncServices, { checkpoint }: JobContext): Promise<ApplyPlan | undefined> {
  const { data: plan } = HeldPlan.safeParse(await checkpoint.read());
  const readAt = await createPortalLocations(database).asOf();
  return plan?.stage === 'apply' && readAt && readAt <= new Date(plan.asOf) ? plan : undefined;
}

/** Stores what remains to be done in the same transaction. */
async function changeMirror(
  { database }: SyncServices,
  { city }: Payload,
  { checkpoint }: JobContext,
  { portal, ...plan }: ApplyPlan,
): Promise<void> {
  const read = { city, read: plan.read, asOf: new Date(plan.asOf) };
  const remaining: ApplyPlan = { ...plan, portal: { ...portal, put: [] } };
  await createPortalLocations(database).change(portal, read, db => checkpoint.write(remaining, db));
}
