/** Carries a plan for the CRM out: links first, then additions. Safe to repeat. */

import { type CopiedLocation, createCrmLocations } from '../../core/domain/crm/locations.ts';
import {
  type Added,
  type Addition,
  addLocations,
  newLocation,
} from '../../core/domain/locations/add-locations.ts';
import { grouped } from '../../core/domain/locations/grouped.ts';
import type { Creation, CrmPlan } from '../../core/domain/locations/plan-crm.ts';
import type { Effects } from '../../core/effects/ledger.ts';
import type { Crm } from '../../core/integrations/crm/client.ts';
import { commandsABatch } from '../../core/integrations/crm/rest.ts';
import { titleOf } from '../../core/integrations/listing-portal/location.ts';
import type { JobContext } from '../../core/jobs/handler.ts';
import type { Database } from '../../core/postgres/client.ts';
import type { ReportWriter } from '../../core/sync/report.ts';

export interface ApplyParts {
  crm: Crm;
  database: Database;
  effects: Effects;
  context: JobContext;
  report: ReportWriter;
}

export async function applyToCrm(parts: ApplyParts, plan: CrmPlan): Promise<void> {
  await linkAll(parts, plan.links);
  await addAll(parts, plan.creates);
}

async function linkAll({ crm, context, report }: ApplyParts, links: CrmPlan['links']): Promise<void> {
  for (let from = 0; from < links.length; from += commandsABatch) {
    context.signal.throwIfAborted();
    context.progress('linking', from, links.length, 40);
    const some = links.slice(from, from + commandsABatch);
    const outcomes = await crm.locations.updateSome(
      some.map(({ crmId, portalId }) => ({ id: crmId, change: { portalId: String(portalId) } })),
    );
    for (const [index, outcome] of outcomes.entries()) tellLink(report, some[index], outcome);
  }
}

function tellLink(
  report: ReportWriter,
  link: CrmPlan['links'][number] | undefined,
  outcome: 'updated' | 'not-found' | { refused: string },
): void {
  report.count(outcome === 'updated' ? 'updated' : 'failed');
  if (outcome === 'updated' || !link) return;
  const why = outcome === 'not-found' ? `CRM location ${link.crmId} is gone.` : outcome.refused;
  report.row({ key: String(link.portalId), outcome: 'failed', reason: `${link.title}: ${why}` });
}

/** Level by level, because an addition names the CRM's id of what it lies in. */
async function addAll(parts: ApplyParts, creates: readonly Creation[]): Promise<void> {
  const added = new Map<number, number>();
  let done = 0;
  for (const level of grouped(creates, ({ location }) => location.places.length).values()) {
    for (let from = 0; from < level.length; from += commandsABatch) {
      parts.context.signal.throwIfAborted();
      parts.context.progress('adding', done, creates.length, 40 + Math.floor((60 * done) / creates.length));
      const some = level.slice(from, from + commandsABatch);
      await addSome(parts, some, added);
      done += some.length;
    }
  }
}

async function addSome(
  { crm, effects, context: { jobId }, database, report }: ApplyParts,
  creates: readonly Creation[],
  added: Map<number, number>,
): Promise<void> {
  const additions = creates.flatMap(creation => additionOf(creation, added, report));
  const outcomes = await addLocations({ crm, effects, jobId }, additions);
  const rows: CopiedLocation[] = [];
  for (const [index, addition] of additions.entries()) {
    const outcome = outcomes[index];
    if (!outcome || !tell(report, addition, outcome)) continue;
    added.set(addition.location.id, outcome.crmId);
    rows.push(copiedRow(addition, outcome.crmId));
  }
  await createCrmLocations(database).put(rows);
}

/** None when what it lies in could not be added. */
function additionOf(
  { location, parent }: Creation,
  added: ReadonlyMap<number, number>,
  report: ReportWriter,
): Addition[] {
  if (parent === null) return [{ location, parentId: null }];
  const parentId = 'crmId' in parent ? parent.crmId : added.get(parent.portalId);
  if (parentId !== undefined) return [{ location, parentId }];
  report.count('skipped');
  const reason = `${titleOf(location.places)}: what it lies in could not be added.`;
  report.row({ key: String(location.id), outcome: 'skipped', reason });
  return [];
}

function tell(report: ReportWriter, { location }: Addition, outcome: Added): outcome is { crmId: number } {
  if ('crmId' in outcome) {
    report.count('created');
    return true;
  }
  report.count('failed');
  const reason = `${titleOf(location.places)}: ${outcome.refused}`;
  report.row({ key: String(location.id), outcome: 'failed', reason });
  return false;
}

const copiedRow = ({ location, parentId }: Addition, id: number): CopiedLocation => {
  const { type, title, portalId } = newLocation(location, parentId);
  return { id, parentId, type, name: location.name, title, portalId, modifiedAt: new Date() };
};
