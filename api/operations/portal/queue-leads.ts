import { LeadUpdates } from '../../../workers/leads/contract.ts';
import { leadOperation } from './lead-operation.ts';

export default leadOperation({
  summary: 'Update leads, then enrich those whose update succeeded.',
  id: 'portal.queueLeads',
  route: 'POST /apps/portal/v1/leads/queue',
  action: 'update-and-enrich',
  body: LeadUpdates,
});
