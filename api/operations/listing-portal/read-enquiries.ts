import job, { PortalLeadsRequest } from '../../../workers/portal-leads/contract.ts';
import { defineJobOperation } from '../../jobs/job-operation.ts';

export default defineJobOperation({
  summary:
    'Start a job that reads the listing portal’s enquiries, and puts those that no webhook brought into the CRM.',
  id: 'listingPortal.readEnquiries',
  route: 'POST /apps/listing-portal/v1/enquiries/read',
  scope: 'crm:write',
  request: { body: PortalLeadsRequest },
  job,
  accept: async ({ body: { since, dryRun } }) => ({ payload: { since, dryRun } }),
});
