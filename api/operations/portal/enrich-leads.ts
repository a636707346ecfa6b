import { LeadIds } from '../../../workers/leads/contract.ts';
import { leadOperation } from './lead-operation.ts';

export default leadOperation({
  summary:
    'Enrich leads: normalised phone and country, do-not-call status, matched agent, locations of interest, activity summary.',
  id: 'portal.enrichLeads',
  route: 'POST /apps/portal/v1/leads/enrich',
  action: 'enrich',
  body: LeadIds,
});
