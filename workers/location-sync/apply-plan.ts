/** Applies a plan to the CRM: first links, then additions. May be repeated; additions in the mirror are not. */
import { createCrmLocations, type MirroredLocation } from '../../core/domain/crm/locations.ts';
import {
  type Addition,
  type AdditionOutcome,
  addLocations,
  mirrorRow,
} from '../../core/domain/locations/add-locations.ts';
import type { CrmPlan } from '../../core/domain/locations/plan-crm.ts';
import { createPortalLocations } from '../../core/domain/locations/portal-locations.ts';
import type { Effects } from '../../core/effects/ledger.ts';
import { batches } from '../../core/integrations/crm/rest.ts';
import type { Crm } from '../../core/integrations/crm/system.ts';
import { type Location, titleOf } from '../../core/integrations/listing-portal/location.ts';
import type { JobContext } from '../../core/jobs/handler.ts';
import type { Database } from '../../core/postgres/client.ts';
import { mapConcurrent } from '../../core/runtime/map-concurrent.ts';
import type { ReportWriter } from '../../core/sync/report.ts';
import { groupBy } from '../../core/values/group-by.ts';

interface ApplyContext {
  crm: Crm;
  database: Database;
  effects: Effects;
  context: JobContext;
  report: ReportWriter;
}

export async function applyToCrm(apply: ApplyContext, plan: CrmPlan): Promise<void> {
  await linkAll(apply, plan.links);
  await addAll(apply, plan.creates);
}

async function linkAll(apply: ApplyContext, links: CrmPlan['links']): Promise<void> {
  const { crm, context, report } = apply;
  let done = 0;
  for (const planned of batches(links)) {
    context.signal.throwIfAborted();
    context.progress('linking', done, links.length, 40);
    done += planned.length;
    const some = await withoutHidden(apply, planned);
    if (some.length === 0) continue;
    const outcomes = await crm.locations.updateSome(
      some.map(({ crmId, portalId }) => ({ id: crmId, change: { portalId: String(portalId) } })),
    );
    for (const [index, link] of some.entries()) reportLink(report, link, outcomes[index] ?? 'not-found');
  }
}

/** Leaves out a link whose portal id a location has that the CRM's list did not show: two would have it. */
async function withoutHidden(
  { crm, database, report }: ApplyContext,
  links: CrmPlan['links'],
): Promise<CrmPlan['links']> {
  const shown = new Set((await createCrmLocations(database).sides()).map(({ id }) => id));
  const found = await crm.locations.idsByPortalId(links.map(({ portalId }) => String(portalId)));
  return links.filter(({ portalId, crmId, title }) => {
    const hidden = (found.get(String(portalId)) ?? []).find(id => id !== crmId && !shown.has(id));
    if (hidden === undefined) return true;
    const reason = `${title}: CRM location ${crmId} was not linked, because CRM location ${hidden} has its portal id; the list of the CRM did not show it.`;
    report.countRow({ key: String(portalId), outcome: 'skipped', reason });
    return false;
  });
}

function reportLink(
  report: ReportWriter,
  { crmId, portalId, title }: CrmPlan['links'][number],
  outcome: 'updated' | 'not-found' | { rejected: string },
): void {
  if (outcome === 'updated') {
    report.count('updated');
    return;
  }
  const why = outcome === 'not-found' ? `CRM location ${crmId} does not exist.` : outcome.rejected;
  report.countRow({ key: String(portalId), outcome: 'failed', reason: `${title}: ${why}` });
}

/** The CRM takes seconds for 50 additions: one request after the other would not use the requests that it permits. */
const requestsAtOnce = 4;

/** Level by level, because an addition needs the CRM id of its parent. */
async function addAll(apply: ApplyContext, creates: CrmPlan['creates']): Promise<void> {
  const added = new Map<number, number>();
  for (const { id, portalId } of await createCrmLocations(apply.database).sides()) added.set(Number(portalId), id);
  const remaining = creates.filter(({ location }) => !added.has(location));
  let done = creates.length - remaining.length;
  apply.report.count('created', done);
  const levels = new Map<number, number>();
  for (const { location, parent } of remaining)
    levels.set(location, parent && 'portalId' in parent ? (levels.get(parent.portalId) ?? 0) + 1 : 0);
  const { signal, progress } = apply.context;
  for (const level of groupBy(remaining, ({ location }) => levels.get(location)).values())
    await mapConcurrent(batches(level), { limit: requestsAtOnce, signal }, async some => {
      progress('adding', done, creates.length, 40 + Math.floor((60 * done) / creates.length));
      await addSome(apply, some, added);
      done += some.length;
    });
}

async function addSome(
  { crm, effects, database, report }: ApplyContext,
  creates: CrmPlan['creates'],
  added: Map<number, number>,
): Promise<void> {
  const known = await createPortalLocations(database).known(creates.map(({ location }) => location));
  const locations = new Map(known.map(location => [location.id, location]));
  const additions = creates.flatMap(({ location: id, parent }) => {
    const location = locations.get(id);
    return location ? additionOf({ location, parent }, added, report) : [];
  });
  const outcomes = await addLocations({ crm, effects }, additions);
  const rows: MirroredLocation[] = [];
  for (const [index, addition] of additions.entries()) {
    const outcome = outcomes[index];
    if (!outcome || !reportAddition(report, addition, outcome)) continue;
    added.set(addition.location.id, outcome.crmId);
    // The row of a location that the read did not return as a row is unknown here.
    if (!outcome.existed) rows.push(mirrorRow(addition, outcome.crmId));
  }
  await createCrmLocations(database).put(rows);
}

/** Empty if the parent could not be added. */
function additionOf(
  { location, parent }: { location: Location; parent: CrmPlan['creates'][number]['parent'] },
  added: ReadonlyMap<number, number>,
  report: ReportWriter,
): Addition[] {
  if (parent === null) return [{ location, parentId: null }];
  const parentId = 'crmId' in parent ? parent.crmId : added.get(parent.portalId);
  if (parentId !== undefined) return [{ location, parentId }];
  const reason = `${titleOf(location.places)}: its parent could not be added.`;
  report.countRow({ key: String(location.id), outcome: 'skipped', reason });
  return [];
}

function reportAddition(
  report: ReportWriter,
  { location }: Addition,
  outcome: AdditionOutcome,
): outcome is Extract<AdditionOutcome, { crmId: number }> {
  const key = String(location.id);
  const title = titleOf(location.places);
  if ('rejected' in outcome) {
    report.countRow({ key, outcome: 'failed', reason: `${title}: ${outcome.rejected}` });
    return false;
  }
  if (outcome.existed) {
    const reason = `${title}: not added, because CRM location ${outcome.crmId} has its portal id; the list of the CRM did not show it.`;
    report.countRow({ key, outcome: 'skipped', reason });
  } else report.count('created');
  return true;
}
