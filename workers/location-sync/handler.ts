/** Handles `location-sync` jobs: reads, plans, checks the plan, and applies it. */
import { z } from 'zod';
import { createCrmLocations } from '../../core/domain/crm/locations.ts';
import { createPortalLocations } from '../../core/domain/locations/portal-locations.ts';
import crmSystem from '../../core/integrations/crm/system.ts';
import { callsMade } from '../../core/integrations/kit/call-context.ts';
import { defineHandler, type JobContext, type JobHeld, type JobSuccess } from '../../core/jobs/handler.ts';
import type { PlaceOfChanges } from '../../core/jobs/planned-effect.ts';
import type { PlannedChanges } from '../../core/jobs/record.ts';
import { placeMembers, type ReportWriter, startReport } from '../../core/sync/report.ts';
import { applyToCrm } from './apply-plan.ts';
import contract from './contract.ts';
import { type ApplyPlan, HeldPlan, withPlaces } from './held-plan.ts';
import { makePlan, reportPlan, type SyncServices, unchangedCopy } from './plan.ts';

type Payload = z.output<typeof contract.payload>;
type Result = z.input<typeof contract.result>;

export default defineHandler({
  job: contract,
  config: z.object({}),
  async open(_, services: SyncServices) {
    return { handle: (payload, context) => run(services, payload, context) };
  },
});

type Outcome = JobSuccess<Result> | JobHeld<Result>;

async function run(services: SyncServices, payload: Payload, context: JobContext): Promise<Outcome> {
  const report = startReport({ dryRun: payload.dryRun });
  const begun = await begunPlan(services, context);
  const released = context.released && HeldPlan.parse(context.released.plan);
  const ready = begun ?? (released?.stage === 'apply' ? released : undefined);
  const plan = ready ?? (await planOrEnd(services, payload, { context, report, released }));
  if (!('stage' in plan)) return plan;
  const copy = reportPlan(report, plan);
  if (!begun) await changeMirror(services, payload, context, plan);
  if (plan.crm) await applyToCrm({ ...services, crm: crmSystem.client(services.systems), context, report }, plan.crm);
  const result = resultOf(report, payload, copy);
  return { result: { ...result, ...placeMembers([], placesOf(result, plan)) } };
}

interface Run {
  context: JobContext;
  report: ReportWriter;
  released: HeldPlan | undefined;
}

/** The plan to apply, or the outcome of a dry run or a held run. */
async function planOrEnd(
  services: SyncServices,
  payload: Payload,
  { context, report, released }: Run,
): Promise<ApplyPlan | Outcome> {
  const { plan, heldBecause, changes, titleOf } = await makePlan(services, payload, context, released);
  if (plan.stage === 'crm-copy') {
    const result = resultOf(report, payload, unchangedCopy);
    const copy = crmCopyOf(changes(), await createCrmLocations(services.database).count());
    return { held: { report: { ...result, ...placeMembers(heldBecause, [copy]) }, plan, changes } };
  }
  if (!payload.dryRun && heldBecause.length === 0) return plan;
  const result = resultOf(report, payload, reportPlan(report, plan, titleOf));
  const preview = { ...result, ...placeMembers(heldBecause, placesOf(result, plan)) };
  return payload.dryRun ? { result: preview } : { held: { report: preview, plan, changes } };
}

const resultOf = (report: ReportWriter, { what, city }: Payload, copy: Result['copy']): Result => ({
  ...report.finish(callsMade()),
  ...{ what, city: city ?? null, copy },
});

/** Of a run that is held before it plans: the CRM's list looks wrong. */
function crmCopyOf(changes: readonly PlannedChanges[], rows: number): PlaceOfChanges {
  const countOf = (wanted: PlannedChanges['outcome']) =>
    changes.reduce((sum, { outcome, items }) => sum + (outcome === wanted ? items.length : 0), 0);
  const counts = { created: countOf('created'), updated: countOf('updated'), deleted: countOf('deleted') };
  return { place: 'the local copy of the CRM’s locations, and continue', ...counts, rows };
}

function placesOf({ created, updated, copy }: Result, { crm }: ApplyPlan): PlaceOfChanges[] {
  const local: PlaceOfChanges = {
    place: 'the local copy of the listing portal’s locations',
    created: copy.created,
    updated: copy.updated,
    deleted: copy.gone,
    rows: copy.matched + copy.updated + copy.gone,
    deletes: 'mark as gone',
  };
  return crm ? [local, { place: 'the CRM', created, updated, deleted: 0, rows: crm.read }] : [local];
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
  const mirror = createPortalLocations(database);
  const changes = { put: await withPlaces(portal.put, mirror), gone: portal.gone };
  const read = { city, read: plan.read, asOf: new Date(plan.asOf) };
  const remaining: ApplyPlan = { ...plan, portal: { ...portal, put: [] } };
  await mirror.change(changes, read, db => checkpoint.write(remaining, db));
}
