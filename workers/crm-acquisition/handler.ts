/** Acquires deals or locations from the CRM, and reports what came of it. */
import { z } from 'zod';
import { createCrmLocations } from '../../core/domain/crm/locations.ts';
import { acquireCrmLocations } from '../../core/domain/crm/mirror-locations.ts';
import crmSystem from '../../core/integrations/crm/system.ts';
import { callsMade } from '../../core/integrations/kit/call-context.ts';
import { defineHandler } from '../../core/jobs/handler.ts';
import type { Acquired } from '../../core/sync/mirror.ts';
import { type ReportWriter, startReport } from '../../core/sync/report.ts';
import type { WorkerServices } from '../services.ts';
import { acquireDeals } from './acquire-deals.ts';
import contract from './contract.ts';

export default defineHandler({
  job: contract,
  config: z.object({}),
  async open(_, { database, systems }: WorkerServices) {
    return {
      async handle({ what, full }, context) {
        const report = startReport({ dryRun: false });
        const parts = { crm: crmSystem.at(systems), database };
        const isDeals = what === 'deals';
        const acquired = await (isDeals ? acquireDeals : acquireCrmLocations)(parts, { full, context });
        tell(report, acquired);
        if (!isDeals) tellOrphans(report, await createCrmLocations(database).withoutParent());
        const { heldBecause, plan, asOf } = acquired;
        const result = { ...report.finish(callsMade()), what, full: acquired.full, asOf: asOf.toISOString() };
        return heldBecause.length === 0 ? { result } : { held: { report: { ...result, heldBecause }, plan } };
      },
      close: async () => {},
    };
  },
});

function tell(report: ReportWriter, { read, changes, unreadable }: Acquired): void {
  report.count('read', read);
  for (const what of ['matched', 'created', 'updated', 'deleted'] as const) report.count(what, changes[what]);
  report.count('failed', unreadable.length);
  for (const { id, reason } of unreadable) report.row({ key: String(id), outcome: 'failed', reason });
}

function tellOrphans(report: ReportWriter, orphans: readonly { id: number; parentId: number }[]): void {
  for (const { id, parentId } of orphans) {
    report.row({
      key: String(id),
      outcome: 'conflict',
      reason: `It names the location ${parentId} as the one above it, which leads to no city; it stands at the top.`,
    });
  }
}
