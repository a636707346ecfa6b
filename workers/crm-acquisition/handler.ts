/** Updates the mirror of the CRM's deals or locations, and reports the changes. */
import { z } from 'zod';
import { createDeals, dealsStateKind } from '../../core/domain/crm/deals.ts';
import { createCrmLocations, mirrorCrmLocations } from '../../core/domain/crm/locations.ts';
import crmSystem, { type Crm } from '../../core/integrations/crm/system.ts';
import { callsMade, reportBadRow } from '../../core/integrations/kit/call-context.ts';
import { defineHandler } from '../../core/jobs/handler.ts';
import type { Database } from '../../core/postgres/client.ts';
import { type MirrorOptions, type MirrorUpdate, updateMirror } from '../../core/sync/mirror.ts';
import { placeMembers, type ReportWriter, startReport } from '../../core/sync/report.ts';
import { createSyncStates } from '../../core/sync/states.ts';
import type { WorkerServices } from '../services.ts';
import contract from './contract.ts';

export default defineHandler({
  job: contract,
  config: z.object({}),
  async open(_, { database, systems }: WorkerServices) {
    return {
      async handle({ what, full, dryRun }, context) {
        const report = startReport({ dryRun });
        const mirrorRows = what === 'deals' ? mirrorDeals : mirrorCrmLocations;
        const update = await mirrorRows({ crm: crmSystem.client(systems), database }, { full, dryRun, context });
        reportUpdate(report, update, what);
        if (what === 'locations') reportOrphans(report, await createCrmLocations(database).withoutParent());
        const { heldBecause, planned, plan, asOf } = update;
        const finished = { ...report.finish(callsMade()), what, full: update.full, asOf: asOf.toISOString() };
        const { created, updated, deleted, matched } = finished;
        // A read of the changes only does not know the number of rows.
        const rows = update.full ? { rows: matched + updated + deleted } : {};
        const copy = { place: `the local copy of the CRM’s ${what}`, created, updated, deleted, ...rows };
        const result = { ...finished, ...placeMembers(heldBecause, [copy]) };
        if (dryRun || heldBecause.length === 0) return { result };
        return { held: { report: result, plan, changes: planned } };
      },
    };
  },
});

async function mirrorDeals(
  { crm, database }: { crm: Crm; database: Database },
  options: MirrorOptions,
): Promise<MirrorUpdate> {
  const deals = createDeals(database);
  const [stages, users] = await Promise.all([crm.deals.stages(), crm.users.all()]);
  // An empty answer, possibly a fault of the CRM, does not remove the names.
  if (!options.dryRun && stages.length > 0 && users.length > 0)
    await deals.replaceReferences(
      stages.map(({ id, pipelineId, name, place }) => ({ id, pipelineId, name, place })),
      users.map(({ id, name, active }) => ({ id, name, active })),
    );
  const source = {
    kind: dealsStateKind,
    title: 'The CRM’s deals',
    table: deals.mirror,
    read: crm.deals.read,
  };
  return await updateMirror(source, createSyncStates(database), options);
}

function reportUpdate(report: ReportWriter, { read, changes, unreadable }: MirrorUpdate, what: string): void {
  report.count('read', read);
  for (const outcome of ['matched', 'created', 'updated', 'deleted'] as const) report.count(outcome, changes[outcome]);
  // Also those of earlier runs of this job, and of earlier jobs, which this one did not read.
  for (const { id, reason } of unreadable)
    reportBadRow({ system: 'crm', record: what.replace(/s$/, ''), id: String(id), field: '', reason });
}

function reportOrphans(report: ReportWriter, orphans: readonly { id: number; parentId: number }[]): void {
  for (const { id, parentId } of orphans) {
    const reason = `Its parent ${parentId} is missing or leads to no city; the location is a root here.`;
    report.row({ key: String(id), outcome: 'conflict', reason });
  }
}
