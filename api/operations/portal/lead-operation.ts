/** Updates leads, enriches them, or both, in one job. */
import type { z } from 'zod';
import { toJobInput } from '../../../core/jobs/repository/inputs.ts';
import leadsJob, { type LeadIds, type LeadUpdates, LeadWork } from '../../../workers/leads/contract.ts';
import type { Operation } from '../../http/operation.ts';
import { defineJobOperation } from '../../jobs/job-operation.ts';

interface LeadOperation extends Pick<Operation, 'summary' | 'id' | 'route'> {
  action: z.output<typeof leadsJob.payload>['do'];
  body: typeof LeadUpdates | typeof LeadIds;
}

export const leadOperation = ({ action, body, ...definition }: LeadOperation) =>
  defineJobOperation({
    ...definition,
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
