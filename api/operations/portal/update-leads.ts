import { LeadUpdates } from '../../../workers/leads/contract.ts';
import { leadOperation } from './lead-operation.ts';

export default leadOperation({
  summary: 'Update leads in the CRM; fields that already have the value are not sent.',
  id: 'portal.updateLeads',
  route: 'POST /apps/portal/v1/leads/update',
  action: 'update',
  body: LeadUpdates,
});
