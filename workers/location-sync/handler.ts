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
import { type ApplyPlan, type CrmCopyPlan, HeldPlan, withPlaces } from './held-plan.ts';
import { makePlan, type Planned, reportPlan, type SyncServices, unchangedCopy } from './plan.ts';

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
  const known = await knownPlan(services, context);
  switch (known.stage) {
    case 'begun':
      return await finish(services, payload, { context, report }, known.plan);
    case 'released':
      await changeMirror(services, payload, context, known.plan);
      return await finish(services, payload, { context, report }, known.plan);
    case 'none': {
      const planned = await makePlan(services, payload, context, known.releasedRead);
      const { plan, heldBecause } = planned;
      if (plan.stage === 'crm-copy' || payload.dryRun || heldBecause.length > 0)
        return await preview(services, planned, payload, report);
      await changeMirror(services, payload, context, plan);
      return await finish(services, payload, { context, report }, plan);
    }
  }
}

type KnownPlan =
  /** An earlier run of the job changed the mirror, and began to change the CRM. */
  | { stage: 'begun'; plan: ApplyPlan }
  | { stage: 'released'; plan: ApplyPlan }
  /** @param releasedRead the released read of the CRM's locations, after which the rest is planned */
  | { stage: 'none'; releasedRead: CrmCopyPlan | undefined };

async function knownPlan({ database }: SyncServices, { checkpoint, released }: JobContext): Promise<KnownPlan> {
  const { data: begun } = HeldPlan.safeParse(await checkpoint.read());
  const readAt = await createPortalLocations(database).asOf();
  // If the portal was read again since, its mirror no longer has what was planned.
  if (begun?.stage === 'apply' && readAt && readAt <= new Date(begun.asOf)) return { stage: 'begun', plan: begun };
  const plan = released && HeldPlan.parse(released.plan);
  return plan?.stage === 'apply' ? { stage: 'released', plan } : { stage: 'none', releasedRead: plan };
}

async function finish(
  services: SyncServices,
  payload: Payload,
  { context, report }: { context: JobContext; report: ReportWriter },
  plan: ApplyPlan,
): Promise<JobSuccess<Result>> {
  const copy = reportPlan(report, plan);
  if (plan.crm) await applyToCrm({ ...services, crm: crmSystem.client(services.systems), context, report }, plan.crm);
  const result = resultOf(report, payload, copy);
  return { result: { ...result, ...placeMembers([], placesOf(result, plan)) } };
}

/** The outcome of a dry run or a held run. */
async function preview(
  { database }: SyncServices,
  { plan, heldBecause, changes, titleOf }: Planned,
  payload: Payload,
  report: ReportWriter,
): Promise<Outcome> {
  if (plan.stage === 'crm-copy') {
    const result = resultOf(report, payload, unchangedCopy);
    const copy = crmCopyOf(changes(), await createCrmLocations(database).count());
    return { held: { report: { ...result, ...placeMembers(heldBecause, [copy]) }, plan, changes } };
  }
  const result = resultOf(report, payload, reportPlan(report, plan, titleOf));
  const shown = { ...result, ...placeMembers(heldBecause, placesOf(result, plan)) };
  return payload.dryRun ? { result: shown } : { held: { report: shown, plan, changes } };
}

const resultOf = (report: ReportWriter, { what, city }: Payload, copy: Result['copy']): Result => ({
  ...report.finish(callsMade()),
  what,
  city: city ?? null,
  copy,
});

/** The local copy in a run that is held before it plans, because the CRM's list looks wrong. */
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
