/** Updates leads, enriches them, or both, in one job. */
import type { z } from 'zod';
import { toJobInput } from '../../../core/jobs/repository/inputs.ts';
import leadsJob, { LeadIds, LeadUpdates, LeadWork } from '../../../workers/leads/contract.ts';
import { defineJobOperation } from '../../jobs/job-operation.ts';

const leadOperation = (
  action: z.output<typeof leadsJob.payload>['do'],
  body: typeof LeadUpdates | typeof LeadIds,
  id: string,
  path: string,
  summary: string,
) =>
  defineJobOperation({
    summary,
    id,
    route: `POST ${path}`,
    scope: 'leads',
    request: { body },
    job: leadsJob,
    async accept({ body }) {
      // A single lead is the body itself.
      const leads = LeadWork.parse(body.leads ?? [body]);
      const ids = leads.map(({ id }) => String(id));
      const input = toJobInput(leads, ids);
      return {
        payload: { do: action, input: input.sha256, leads: leads.length, dryRun: body.dryRun },
        inputs: [input],
      };
    },
  });

export default [
  leadOperation(
    'update',
    LeadUpdates,
    'portal.updateLeads',
    '/apps/portal/v1/leads/update',
    'Update leads in the CRM; fields that already have the value are not sent.',
  ),
  leadOperation(
    'enrich',
    LeadIds,
    'portal.enrichLeads',
    '/apps/portal/v1/leads/enrich',
    'Enrich leads: normalised phone and country, do-not-call status, matched agent, locations of interest, activity summary.',
  ),
  leadOperation(
    'update-and-enrich',
    LeadUpdates,
    'portal.queueLeads',
    '/apps/portal/v1/leads/queue',
    'Update leads, then enrich those whose update succeeded.',
  ),
];
