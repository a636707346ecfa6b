/** Reads the portal, and for a sync the CRM as well, and plans; the guard says whether the plan may be carried out. */

import { createLocationAliases } from '../../core/domain/locations/location-aliases.ts';
import { planCrm } from '../../core/domain/locations/plan-crm.ts';
import { createPortalLocations } from '../../core/domain/locations/portal-locations.ts';
import crmSystem from '../../core/integrations/crm/system.ts';
import listingPortalSystem from '../../core/integrations/listing-portal/system.ts';
import type { JobContext } from '../../core/jobs/handler.ts';
import type { AcquisitionContext } from '../../core/sync/mirror.ts';
import { reasonsToHold } from '../../core/sync/plan-guard.ts';
import type { WorkerServices } from '../services.ts';
import type { HeldPlan } from './held-plan.ts';
import { type CrmRead, readCrm, refreshCrm } from './read-crm.ts';
import { type PortalRead, readPortal } from './read-portal.ts';

export type SyncServices = Pick<WorkerServices, 'database' | 'systems' | 'effects'>;

export interface Planned {
  plan: HeldPlan;
  /** Empty: it may be carried out. */
  heldBecause: string[];
}

interface Wanted {
  what: 'update' | 'sync';
  city?: string | undefined;
  dryRun: boolean;
}

/** @param released what a person let go on of an earlier run */
export async function makePlan(
  services: SyncServices,
  wanted: Wanted,
  context: JobContext,
  released: HeldPlan | undefined,
): Promise<Planned> {
  const read = await readPortal(
    listingPortalSystem.at(services.systems),
    createPortalLocations(services.database),
    wanted.city,
    (done, total) =>
      context.progress('reading the listing portal', done, total, Math.floor((30 * done) / total)),
  );
  if (wanted.what === 'update') return { plan: applyPlan(read), heldBecause: read.heldBecause };

  const crm = crmSystem.at(services.systems);
  const parts = { crm, database: services.database };
  const crmRead = wanted.dryRun ? await readCrm(crm) : await refreshCrm(parts, acquiring(context, released));
  return 'heldBecause' in crmRead
    ? { plan: { stage: 'crm-copy', acquisition: crmRead.acquisition }, heldBecause: crmRead.heldBecause }
    : await planSync(services, read, crmRead);
}

async function planSync(
  { database }: SyncServices,
  read: PortalRead,
  { rows }: Extract<CrmRead, { rows: unknown }>,
): Promise<Planned> {
  const elsewhere = read.city === undefined ? [] : await createPortalLocations(database).all();
  const onPortal = new Set([...read.locations, ...elsewhere].map(({ id }) => String(id)));
  const plan = planCrm(read.locations, {
    crm: rows,
    decisions: await createLocationAliases(database).decisions(),
    isOnPortal: id => onPortal.has(id),
  });
  const changed = plan.links.length + plan.creates.length;
  const why = reasonsToHold({ target: rows.length, changed, deleted: 0, sources: [] });
  return {
    plan: applyPlan(read, { ...plan, read: rows.length }),
    heldBecause: [...read.heldBecause, ...why.map(reason => `In the CRM: ${reason}`)],
  };
}

const applyPlan = (
  { asOf, locations, changes }: PortalRead,
  crm: Extract<HeldPlan, { stage: 'apply' }>['crm'] = null,
): HeldPlan => ({
  stage: 'apply',
  asOf: asOf.toISOString(),
  read: locations.length,
  portal: changes,
  crm,
});

/** A release of this job may be about the CRM's own locations; reading them is a small part of the whole. */
function acquiring({ released: about, ...context }: JobContext, released?: HeldPlan): AcquisitionContext {
  return {
    ...context,
    progress: (stage, done, total, percent) =>
      context.progress(stage, done, total, 30 + Math.floor(percent / 10)),
    ...(released?.stage === 'crm-copy' && about && { released: { ...about, plan: released.acquisition } }),
  };
}
