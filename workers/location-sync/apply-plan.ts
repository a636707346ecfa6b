/** Applies a plan to the CRM: first links, then additions. May be repeated; additions in the mirror are not. */
import { createCrmLocations, type MirroredLocation } from '../../core/domain/crm/locations.ts';
import {
  type Addition,
  type AdditionOutcome,
  addLocations,
  mirrorRow,
} from '../../core/domain/locations/add-locations.ts';
import type { Creation, CrmPlan } from '../../core/domain/locations/plan-crm.ts';
import type { Effects } from '../../core/effects/ledger.ts';
import { batches } from '../../core/integrations/crm/rest.ts';
import type { Crm } from '../../core/integrations/crm/system.ts';
import { titleOf } from '../../core/integrations/listing-portal/location.ts';
import type { JobContext } from '../../core/jobs/handler.ts';
import type { Database } from '../../core/postgres/client.ts';
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

async function linkAll({ crm, context, report }: ApplyContext, links: CrmPlan['links']): Promise<void> {
  let done = 0;
  for (const some of batches(links)) {
    context.signal.throwIfAborted();
    context.progress('linking', done, links.length, 40);
    done += some.length;
    const outcomes = await crm.locations.updateSome(
      some.map(({ crmId, portalId }) => ({ id: crmId, change: { portalId: String(portalId) } })),
    );
    for (const [index, link] of some.entries()) reportLink(report, link, outcomes[index] ?? 'not-found');
  }
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

/** Level by level, because an addition needs the CRM id of its parent. */
async function addAll(apply: ApplyContext, creates: readonly Creation[]): Promise<void> {
  const mirrored = await createCrmLocations(apply.database).all();
  const added = new Map(mirrored.map(({ id, portalId }) => [Number(portalId), id]));
  const remaining = creates.filter(({ location }) => !added.has(location.id));
  let done = creates.length - remaining.length;
  apply.report.count('created', done);
  for (const level of groupBy(remaining, ({ location }) => location.places.length).values()) {
    for (const some of batches(level)) {
      apply.context.signal.throwIfAborted();
      apply.context.progress('adding', done, creates.length, 40 + Math.floor((60 * done) / creates.length));
      await addSome(apply, some, added);
      done += some.length;
    }
  }
}

async function addSome(
  { crm, effects, context: { jobId }, database, report }: ApplyContext,
  creates: readonly Creation[],
  added: Map<number, number>,
): Promise<void> {
  const additions = creates.flatMap(creation => additionOf(creation, added, report));
  const outcomes = await addLocations({ crm, effects, jobId }, additions);
  const rows: MirroredLocation[] = [];
  for (const [index, addition] of additions.entries()) {
    const outcome = outcomes[index];
    if (!outcome || !reportAddition(report, addition, outcome)) continue;
    added.set(addition.location.id, outcome.crmId);
    rows.push(mirrorRow(addition, outcome.crmId));
  }
  await createCrmLocations(database).put(rows);
}

/** Empty if the parent could not be added. */
function additionOf(
  { location, parent }: Creation,
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
): outcome is { crmId: number } {
  if ('crmId' in outcome) {
    report.count('created');
    return true;
  }
  const reason = `${titleOf(location.places)}: ${outcome.rejected}`;
  report.countRow({ key: String(location.id), outcome: 'failed', reason });
  return false;
}
