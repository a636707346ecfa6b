/** Leads are updated, enriched, or both (rows 18 to 20): the same list, one job. */
import type { z } from 'zod';
import leadsJob, { LeadIds, LeadUpdates } from '../../../workers/leads/contract.ts';
import { defineJobOperation } from '../../jobs/job-operation.ts';

type What = z.output<typeof leadsJob.payload>['do'];

const leadOperation = <B extends z.ZodType<{ leads: { id: number }[] }>>(
  what: What,
  body: B,
  id: string,
  path: string,
  summary: string,
) =>
  defineJobOperation({
    summary,
    id,
    method: 'POST',
    path,
    scope: 'leads',
    request: { body },
    job: leadsJob,
    accept: async ({ body: { leads } }, _, keep) => ({
      do: what,
      input: keep(leads),
      leads: leads.length,
    }),
  });

export default [
  leadOperation(
    'update',
    LeadUpdates,
    'portal.updateLeads',
    '/apps/portal/v1/leads/update',
    'Update one or many leads in the CRM: what a lead has already is not sent again.',
  ),
  leadOperation(
    'enrich',
    LeadIds,
    'portal.enrichLeads',
    '/apps/portal/v1/leads/enrich',
    'Enrich leads: normalised phone and country, do-not-call status, matched agent, locations of interest, summary of activity.',
  ),
  leadOperation(
    'update-and-enrich',
    LeadUpdates,
    'portal.queueLeads',
    '/apps/portal/v1/leads/queue',
    'Queue leads for both: update first, then enrichment, which does not run for a lead whose update failed.',
  ),
];
