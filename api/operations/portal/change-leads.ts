/** Updates leads, enriches them, or both, in one job. */
import type { z } from 'zod';
import { toJobInput } from '../../../core/jobs/repository/inputs.ts';
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
    async accept({ body: { leads } }) {
      const input = toJobInput(leads);
      return { payload: { do: what, input: input.sha256, leads: leads.length }, inputs: [input] };
    },
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
