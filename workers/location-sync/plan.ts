/** The plan of a location sync: made from the portal and the CRM, checked by the guard, stored when held, reported. */
import type { z } from 'zod';
import {
  type CrmRead,
  createCrmLocations,
  mirrorCrmLocations,
  readCrmLocations,
} from '../../core/domain/crm/locations.ts';
import { createLocationAliases } from '../../core/domain/locations/location-aliases.ts';
import { type CrmPlan, planCrm } from '../../core/domain/locations/plan-crm.ts';
import { createPortalLocations } from '../../core/domain/locations/portal-locations.ts';
import crmSystem from '../../core/integrations/crm/system.ts';
import { badRowKey } from '../../core/integrations/kit/read-rows.ts';
import { type Location, titleOf } from '../../core/integrations/listing-portal/location.ts';
import listingPortalSystem from '../../core/integrations/listing-portal/system.ts';
import type { JobContext } from '../../core/jobs/handler.ts';
import type { PlannedChanges } from '../../core/jobs/record.ts';
import type { MirrorContext } from '../../core/sync/mirror.ts';
import { reasonsToHold } from '../../core/sync/plan-guard.ts';
import { orderGroups, type ReportWriter } from '../../core/sync/report.ts';
import type { UnreadableRow } from '../../core/sync/schema.ts';
import { groupBy } from '../../core/values/group-by.ts';
import type { WorkerServices } from '../services.ts';
import type contract from './contract.ts';
import { type ApplyPlan, type CrmCopyPlan, type HeldPlan, stored } from './held-plan.ts';
import { type PortalChanges, type PortalRead, readPortal } from './read-portal.ts';

export type SyncServices = Pick<WorkerServices, 'database' | 'systems' | 'effects'>;

export interface Planned {
  plan: HeldPlan;
  /** Empty if the plan may be applied. */
  heldBecause: string[];
  changes: () => PlannedChanges[];
  /** The title of a portal location that was read. */
  titleOf: (id: number) => string;
}
type CopyCounts = z.input<typeof contract.result>['copy'];

/** @param released the read of the CRM's locations that was held and released, if any */
export async function makePlan(
  services: SyncServices,
  { what, city, dryRun }: z.output<typeof contract.payload>,
  context: JobContext,
  released: CrmCopyPlan | undefined,
): Promise<Planned> {
  const { systems, database } = services;
  if (what === 'sync') {
    // Both, before one is read: while the other is not available, each run of the job would read it.
    await crmSystem.probe(systems);
    await listingPortalSystem.probe(systems);
  }
  const crm = await readCrm(services, { what, dryRun }, mirrorContext(context, released));
  if ('heldBecause' in crm) {
    const { heldBecause, acquisition, planned: changes } = crm;
    return { plan: { stage: 'crm-copy', acquisition }, heldBecause, changes: () => changes, titleOf: () => '' };
  }
  const read = await readPortal(listingPortalSystem.client(systems), createPortalLocations(database), {
    city,
    crm: crm.rows,
    warn: context.warn,
    progress: (done, total) =>
      context.progress('reading the listing portal', done, total, 10 + Math.floor((30 * done) / total)),
  });
  return what === 'update' ? planned(read, read.heldBecause) : await planSync(services, read, crm);
}

export const unchangedCopy: CopyCounts = { matched: 0, created: 0, updated: 0, gone: 0 };

/** @param preview also reports the planned changes; otherwise they are counted when they are applied */
export function reportPlan(report: ReportWriter, plan: ApplyPlan, preview?: TitleOf): CopyCounts {
  const { matched, created, updated, gone } = plan.portal;
  const copy = { matched, created, updated, gone: gone.length };
  report.count('read', plan.read);
  if (plan.crm) reportCrm(report, plan.crm, preview);
  else reportCopy(report, plan, copy, preview);
  return copy;
}

type Mirrored = Awaited<ReturnType<typeof mirrorCrmLocations>>;

/** The update of the mirror was held. */
interface HeldRead {
  heldBecause: string[];
  acquisition: Mirrored['plan'];
  planned: Mirrored['planned'];
}

/** For an update of the portal's mirror: the CRM's locations as they were last read. */
async function readCrm(
  services: SyncServices,
  { what, dryRun }: Pick<z.output<typeof contract.payload>, 'what' | 'dryRun'>,
  context: MirrorContext,
): Promise<CrmRead | HeldRead> {
  if (what === 'update') return { rows: await createCrmLocations(services.database).sides(), unreadable: [] };
  return dryRun ? await readCrmLocations(crmSystem.client(services.systems)) : await mirrorCrm(services, context);
}

/** Updates the mirror and returns its rows, or why the update was held. */
async function mirrorCrm({ database, systems }: SyncServices, context: MirrorContext): Promise<CrmRead | HeldRead> {
  const services = { crm: crmSystem.client(systems), database };
  const { heldBecause, plan, planned, unreadable } = await mirrorCrmLocations(services, { full: true, context });
  if (heldBecause.length > 0) return { heldBecause, acquisition: plan, planned };
  // A retry of this job reads the CRM again, and so finds the locations added by this run.
  await context.checkpoint.write(null);
  return { rows: await createCrmLocations(database).sides(), unreadable };
}

/** Maps the progress to 0–10 %; a release of this job may concern the read of the CRM. */
function mirrorContext(
  { released: release, ...context }: JobContext,
  released: CrmCopyPlan | undefined,
): MirrorContext {
  return {
    ...context,
    progress: (stage, done, total, percent) => context.progress(stage, done, total, Math.floor(percent / 10)),
    ...(released && release && { released: { ...release, plan: released.acquisition } }),
  };
}

async function planSync(
  { database }: SyncServices,
  read: PortalRead,
  { rows: crm, unreadable }: CrmRead,
): Promise<Planned> {
  const elsewhere = read.city === undefined ? [] : await createPortalLocations(database).ids();
  const onPortal = new Set([...read.locations.map(({ id }) => id), ...read.unreadable, ...elsewhere].map(String));
  const plan = planCrm(read.locations, {
    crm,
    decisions: await createLocationAliases(database).decisions(),
    isOnPortal: id => onPortal.has(id),
  });
  const changed = plan.links.length + plan.creates.length;
  const reasons = reasonsToHold({ target: crm.length, changed, deleted: 0, sources: [] });
  const heldBecause = [
    ...read.heldBecause,
    ...reasons.map(reason => `In the CRM: ${reason}`),
    ...unmatched(unreadable),
  ];
  const rows = unreadable.map(({ id, reason }) => ({ key: crmKey(id), outcome: 'failed' as const, reason }));
  return planned(read, heldBecause, { ...plan, undecided: [...rows, ...plan.undecided], read: crm.length });
}

/** As the report names rows that could not be read. */
const crmKey = (id: number): string => badRowKey({ system: 'crm', record: 'location', id: String(id) });

const maxNamed = 10;

/** The match does not see these rows: the plan may add locations that the CRM has. */
function unmatched(unreadable: readonly UnreadableRow[]): string[] {
  if (unreadable.length === 0) return [];
  const named = unreadable.slice(0, maxNamed).map(({ id, reason }) => `${id} (${reason})`);
  const more = unreadable.length > maxNamed ? ` and ${unreadable.length - maxNamed} more` : '';
  return [
    `In the CRM: ${unreadable.length} locations could not be read, and were not matched: ${named.join(', ')}${more}. Correct them, or release the job: each location is looked up by its portal id before it is added.`,
  ];
}

function planned(read: PortalRead, heldBecause: string[], crm: ApplyPlan['crm'] = null): Planned {
  const { asOf, locations, changes } = read;
  const { created, updated, matched, gone } = changes;
  const byId = new Map(locations.map(location => [location.id, location]));
  return {
    plan: {
      stage: 'apply',
      asOf: asOf.toISOString(),
      read: locations.length,
      crm,
      portal: {
        put: [...created, ...updated].map(stored),
        gone: gone.map(({ id }) => id),
        created: created.length,
        updated: updated.length,
        matched,
      },
    },
    heldBecause,
    changes: () => orderGroups([...copyChanges(changes), ...(crm ? crmChanges(crm, byId) : [])]),
    titleOf: id => titleOf(byId.get(id)?.places ?? []),
  };
}

/** Built in groups: a list of all changes, to be grouped later, would need the memory of the plan again. */
function copyChanges({ created, updated, gone }: PortalChanges): PlannedChanges[] {
  const itemOf = ({ id, places }: Location) => ({ key: String(id), name: titleOf(places) });
  return [
    {
      outcome: 'deleted',
      reason: 'No longer in the listing portal: marked as gone here.',
      items: gone.map(({ id, title }) => ({ key: String(id), name: title })),
    },
    {
      outcome: 'created',
      reason: 'New in the listing portal: added to the local copy.',
      items: created.map(itemOf),
    },
    {
      outcome: 'updated',
      reason: 'Changed in the listing portal: updated in the local copy.',
      items: updated.map(itemOf),
    },
  ];
}

function crmChanges({ creates, links, undecided }: CrmPlan, byId: ReadonlyMap<number, Location>): PlannedChanges[] {
  const nameOf = (id: number): string => titleOf(byId.get(id)?.places ?? []);
  const byType = groupBy(creates, ({ location }) => byId.get(location)?.type);
  const byOutcome = groupBy(undecided, ({ outcome }) => outcome);
  return [
    ...[...byType].map(([type, some]) => ({
      outcome: 'created' as const,
      reason: `New in the CRM: ${type}.`,
      items: some.map(({ location: id }) => ({ key: String(id), name: nameOf(id) })),
    })),
    {
      outcome: 'updated',
      reason: 'Gets the id of the listing portal in the CRM.',
      items: links.map(({ portalId, crmId, title }) => ({
        key: String(portalId),
        name: title,
        detail: `CRM location ${crmId}`,
      })),
    },
    ...[...byOutcome].map(([outcome, rows]) => ({
      outcome,
      reason: 'Left unchanged, because a person has to decide.',
      items: rows.map(({ key, reason }) => ({ key, name: nameOf(Number(key)), detail: reason })),
    })),
  ];
}

type TitleOf = Planned['titleOf'];

/** For an update of the mirror only: its counts are the report's counts. */
function reportCopy(report: ReportWriter, { portal, asOf }: ApplyPlan, copy: CopyCounts, preview?: TitleOf): void {
  for (const name of ['matched', 'created', 'updated'] as const) report.count(name, copy[name]);
  report.count('deleted', copy.gone);
  if (!preview) return;
  for (const id of portal.gone)
    report.row({ key: String(id), outcome: 'deleted', reason: `The portal did not have it at ${asOf}.` });
  for (const [at, { id }] of portal.put.entries()) {
    const outcome = at < portal.created ? 'created' : 'updated';
    report.row({ key: String(id), outcome, reason: preview(id) });
  }
}

function reportCrm(report: ReportWriter, crm: NonNullable<ApplyPlan['crm']>, preview?: TitleOf): void {
  report.count('read', crm.read);
  report.count('matched', crm.matched);
  const failed = crm.undecided.filter(({ outcome }) => outcome === 'failed').length;
  report.count('failed', failed);
  report.count('skipped', crm.undecided.filter(({ outcome }) => outcome !== 'conflict').length - failed);
  // Before the planned changes, because the report has a maximum number of rows and these need a decision.
  for (const row of crm.undecided) report.row(row);
  if (!preview) return;
  for (const { location: id } of crm.creates)
    report.countRow({ key: String(id), outcome: 'created', reason: preview(id) });
  for (const { portalId, crmId, title } of crm.links)
    report.countRow({
      key: String(portalId),
      outcome: 'updated',
      reason: `${title}: is CRM location ${crmId}.`,
    });
}
