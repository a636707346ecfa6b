/** The plan of a location sync: made from the portal and the CRM, checked by the guard, stored when held, reported. */
import { z } from 'zod';
import { createCrmLocations, mirrorCrmLocations, readCrmLocations } from '../../core/domain/crm/locations.ts';
import { createLocationAliases } from '../../core/domain/locations/location-aliases.ts';
import { CrmPlan, type CrmSide, planCrm } from '../../core/domain/locations/plan-crm.ts';
import { createPortalLocations } from '../../core/domain/locations/portal-locations.ts';
import crmSystem from '../../core/integrations/crm/system.ts';
import { type Location, titleOf } from '../../core/integrations/listing-portal/location.ts';
import listingPortalSystem from '../../core/integrations/listing-portal/system.ts';
import type { JobContext } from '../../core/jobs/handler.ts';
import type { PlannedChanges } from '../../core/jobs/record.ts';
import type { MirrorContext } from '../../core/sync/mirror.ts';
import { reasonsToHold } from '../../core/sync/plan-guard.ts';
import { groupChanges, type PlannedChange, type ReportWriter } from '../../core/sync/report.ts';
import type { WorkerServices } from '../services.ts';
import type contract from './contract.ts';
import { PortalChanges, type PortalRead, readPortal } from './read-portal.ts';

export type SyncServices = Pick<WorkerServices, 'database' | 'systems' | 'effects'>;

/** Stored as JSON with a held run, which continues from it when released. */
export const HeldPlan = z.discriminatedUnion('stage', [
  z.object({
    /** The read of the CRM's locations was held; the rest is planned after its release. */
    stage: z.literal('crm-copy'),
    acquisition: z.unknown(),
  }),
  z.object({
    stage: z.literal('apply'),
    /** Start of the portal read, and the number of locations it returned. */
    asOf: z.iso.datetime(),
    read: z.int(),
    portal: PortalChanges,
    /** Null for an update of the mirror only; `read`: number of CRM locations. */
    crm: CrmPlan.extend({ read: z.int() }).nullable(),
  }),
]);
export type HeldPlan = z.infer<typeof HeldPlan>;
export type ApplyPlan = Extract<HeldPlan, { stage: 'apply' }>;

interface Planned {
  plan: HeldPlan;
  /** Empty if the plan may be applied. */
  heldBecause: string[];
  changes: PlannedChanges[];
}
type CopyCounts = z.input<typeof contract.result>['copy'];

/** @param released the plan of the run that was held and released, if any */
export async function makePlan(
  services: SyncServices,
  { what, city, dryRun }: z.output<typeof contract.payload>,
  context: JobContext,
  released: HeldPlan | undefined,
): Promise<Planned> {
  // Before the portal is read: while the CRM is not available, each run of the job would read it.
  if (what === 'sync') await crmSystem.probe(services.systems);
  const read = await readPortal(
    listingPortalSystem.client(services.systems),
    createPortalLocations(services.database),
    city,
    (done, total) => context.progress('reading the listing portal', done, total, Math.floor((30 * done) / total)),
  );
  if (what === 'update')
    return { plan: applyPlan(read), heldBecause: read.heldBecause, changes: groupChanges(copyChanges(read)) };

  const crm = dryRun
    ? { rows: await readCrmLocations(crmSystem.client(services.systems)) }
    : await mirrorCrm(services, mirrorContext(context, released));
  if ('rows' in crm) return await planSync(services, read, crm.rows);
  const { heldBecause, acquisition, planned: changes } = crm;
  return { plan: { stage: 'crm-copy', acquisition }, heldBecause, changes };
}

export const unchangedCopy: CopyCounts = { matched: 0, created: 0, updated: 0, gone: 0 };

/** @param isApplied false also reports the planned changes; otherwise they are counted when they are applied */
export function reportPlan(report: ReportWriter, plan: ApplyPlan, isApplied: boolean): CopyCounts {
  const { matched, created, updated, gone } = plan.portal;
  const copy = { matched, created, updated, gone: gone.length };
  report.count('read', plan.read);
  if (plan.crm) reportCrm(report, plan.crm, isApplied);
  else reportCopy(report, plan, copy, isApplied);
  return copy;
}

/** Updates the mirror and returns its rows, or why the update was held. */
async function mirrorCrm({ database, systems }: SyncServices, context: MirrorContext) {
  const services = { crm: crmSystem.client(systems), database };
  const { heldBecause, plan, planned } = await mirrorCrmLocations(services, { full: true, context });
  if (heldBecause.length > 0) return { heldBecause, acquisition: plan, planned };
  // A retry of this job reads the CRM again, and so finds the locations added by this run.
  await context.checkpoint.write(null);
  return { rows: await createCrmLocations(database).all() };
}

/** Maps the progress to 30–40 %; a release of this job may concern the read of the CRM. */
function mirrorContext({ released: release, ...context }: JobContext, released?: HeldPlan): MirrorContext {
  return {
    ...context,
    progress: (stage, done, total, percent) => context.progress(stage, done, total, 30 + Math.floor(percent / 10)),
    ...(released?.stage === 'crm-copy' && release && { released: { ...release, plan: released.acquisition } }),
  };
}

async function planSync({ database }: SyncServices, read: PortalRead, crm: readonly CrmSide[]): Promise<Planned> {
  const elsewhere = read.city === undefined ? [] : await createPortalLocations(database).all();
  const onPortal = new Set([...read.locations, ...elsewhere].map(({ id }) => String(id)));
  const plan = planCrm(read.locations, {
    crm,
    decisions: await createLocationAliases(database).decisions(),
    isOnPortal: id => onPortal.has(id),
  });
  const changed = plan.links.length + plan.creates.length;
  const reasons = reasonsToHold({ target: crm.length, changed, deleted: 0, sources: [] });
  return {
    plan: applyPlan(read, { ...plan, read: crm.length }),
    heldBecause: [...read.heldBecause, ...reasons.map(reason => `In the CRM: ${reason}`)],
    changes: groupChanges([...copyChanges(read), ...crmChanges(plan, read.locations)]),
  };
}

/** The changes of the mirror. */
function copyChanges({ known, changes: { gone, put } }: PortalRead): PlannedChange[] {
  const before = new Map(known.map(location => [location.id, location]));
  const missing = gone.flatMap(id => before.get(id) ?? []);
  return [
    ...missing.map(location => planned('deleted', 'No longer in the listing portal: marked as gone here.', location)),
    ...put.map(location =>
      before.get(location.id)?.gone === false
        ? planned('updated', 'Changed in the listing portal: updated in the local copy.', location)
        : planned('created', 'New in the listing portal: added to the local copy.', location),
    ),
  ];
}

function crmChanges({ creates, links, undecided }: CrmPlan, locations: readonly Location[]): PlannedChange[] {
  const titles = new Map(locations.map(({ id, places }) => [String(id), titleOf(places)]));
  return [
    ...creates.map(({ location }) => planned('created', `New in the CRM: ${location.type}.`, location)),
    ...links.map(({ portalId, crmId, title }) => ({
      ...{ outcome: 'updated' as const, reason: 'Gets the id of the listing portal in the CRM.' },
      ...{ key: String(portalId), name: title, detail: `CRM location ${crmId}` },
    })),
    ...undecided.map(({ key, outcome, reason }) => ({
      ...{ outcome, key, name: titles.get(key) ?? '' },
      ...{ reason: 'Left unchanged, because a person has to decide.', detail: reason },
    })),
  ];
}

const planned = (outcome: PlannedChange['outcome'], reason: string, { id, places }: Location): PlannedChange => ({
  outcome,
  reason,
  key: String(id),
  name: titleOf(places),
});

const applyPlan = ({ asOf, locations, changes }: PortalRead, crm: ApplyPlan['crm'] = null): HeldPlan => ({
  stage: 'apply',
  asOf: asOf.toISOString(),
  read: locations.length,
  portal: changes,
  crm,
});

/** For an update of the mirror only: its counts are the report's counts. */
function reportCopy(report: ReportWriter, { portal, asOf }: ApplyPlan, copy: CopyCounts, isApplied: boolean): void {
  for (const name of ['matched', 'created', 'updated'] as const) report.count(name, copy[name]);
  report.count('deleted', copy.gone);
  if (isApplied) return;
  for (const id of portal.gone)
    report.row({ key: String(id), outcome: 'deleted', reason: `The portal did not have it at ${asOf}.` });
  for (const location of portal.put)
    report.row({ key: String(location.id), outcome: 'updated', reason: titleOf(location.places) });
}

function reportCrm(report: ReportWriter, crm: NonNullable<ApplyPlan['crm']>, isApplied: boolean): void {
  report.count('read', crm.read);
  report.count('matched', crm.matched);
  report.count('skipped', crm.undecided.filter(({ outcome }) => outcome !== 'conflict').length);
  // Before the planned changes, because the report has a maximum number of rows and these need a decision.
  for (const row of crm.undecided) report.row(row);
  if (isApplied) return;
  for (const { location } of crm.creates)
    report.countRow({ key: String(location.id), outcome: 'created', reason: titleOf(location.places) });
  for (const { portalId, crmId, title } of crm.links)
    report.countRow({
      key: String(portalId),
      outcome: 'updated',
      reason: `${title}: is CRM location ${crmId}.`,
    });
}
