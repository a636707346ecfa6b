/** Handles `leads` jobs in batches: updates the leads, then enriches those whose update did not fail. */
import { z } from 'zod';
import crmSystem from '../../core/integrations/crm/system.ts';
import { callsMade } from '../../core/integrations/kit/call-context.ts';
import { defineHandler, type JobContext } from '../../core/jobs/handler.ts';
import { ServiceError } from '../../core/runtime/errors.ts';
import { startReport } from '../../core/sync/report.ts';
import type { WorkerServices } from '../services.ts';
import job, { LeadResult, LeadWork } from './contract.ts';
import { enrichLeads } from './enrich-leads.ts';
import { type LeadSources, openLeadSources } from './sources.ts';
import { type ChangeServices, changeLeads, reportLead, stepOf } from './update-leads.ts';

type Payload = z.output<typeof job.payload>;

/** Maximum number of leads in a CRM request. */
const batchSize = 50;

export default defineHandler({
  job,
  config: z.object({}),
  async open(_, services: WorkerServices) {
    return {
      handle: async (payload, context) => ({ result: await processLeads(services, payload, context) }),
    };
  },
});

async function processLeads(services: WorkerServices, payload: Payload, context: JobContext) {
  const report = startReport(payload);
  const work = await readInput(services, payload);
  const { dryRun } = payload;
  const leadServices = { crm: crmSystem.client(services.systems), effects: services.effects, dryRun };
  const sources = openLeadSources(services, leadServices.crm, context);
  const results = z.array(LeadResult).parse((await context.checkpoint.read()) ?? []);
  while (results.length < work.length) {
    context.signal.throwIfAborted();
    context.progress('leads', results.length, work.length, (100 * results.length) / work.length);
    const some = work.slice(results.length, results.length + batchSize);
    results.push(...(await processBatch(leadServices, sources, payload.do, some)));
    await context.checkpoint.write(results);
  }
  for (const result of results) reportLead(report, result);
  for (const detail of sources.failures()) context.warn({ pointer: '', detail, code: 'source-not-available' });
  return { ...report.finish(callsMade()), leads: results };
}

async function readInput({ inputs }: WorkerServices, { input }: Payload): Promise<LeadWork> {
  const work = LeadWork.safeParse(await inputs.get(input));
  if (work.success) return work.data;
  throw new ServiceError('gone', 'The list of leads is no longer stored; send it again.');
}

async function processBatch(
  services: ChangeServices,
  sources: LeadSources,
  what: Payload['do'],
  some: LeadWork,
): Promise<LeadResult[]> {
  const updates =
    what === 'enrich'
      ? undefined
      : await changeLeads(
          services,
          some.map(({ id, fields = {} }) => ({ id, change: fields })),
        );
  const canEnrich = (index: number) => {
    const update = updates?.[index];
    return !update || update.outcome === 'updated' || update.outcome === 'same';
  };
  const ids = what === 'update' ? [] : some.filter((_, index) => canEnrich(index)).map(({ id }) => id);
  const enriched = await enrichLeads(services, sources, ids);
  return some.map(({ id }, index) => ({
    id,
    update: updates?.[index] ?? null,
    enrichment: what === 'update' ? null : (enriched[ids.indexOf(id)] ?? notRun()),
  }));
}

const notRun = () => stepOf('not-run', [], 'The preceding update failed.');
