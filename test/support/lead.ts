/** A lead of the CRM connector; empty except for the members that a test sets. */
import type { Lead } from '../../core/integrations/crm/leads.ts';

export const emptyLead: Lead = {
  id: 1,
  title: 'Marina Rossi: viewing',
  firstName: 'Marina',
  lastName: 'Rossi',
  status: 'NEW',
  outcome: 'open',
  source: null,
  sourceDescription: null,
  assignedUserId: 3,
  phones: [],
  emails: [],
  comments: null,
  amount: '0',
  currency: 'AED',
  utm: { source: null, medium: null, campaign: null, term: null, content: null },
  originatorId: null,
  originId: null,
  country: null,
  dncStatus: null,
  interestedLocations: null,
  matchedAgent: null,
  activitySummary: null,
  page: null,
  marketingConsent: false,
  createdAt: new Date(0),
  modifiedAt: new Date(0),
  closedAt: null,
};
export const lead = (change: Partial<Lead>): Lead => ({ ...emptyLead, ...change });
