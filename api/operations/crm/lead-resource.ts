/** A CRM lead in answers. */
import { z } from 'zod';
import { Lead } from '../../../core/integrations/crm/leads.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { toE164 } from '../../../core/values/phone-number.ts';

export const LeadResource = Lead.extend({
  phones: z.array(z.string()).describe('E.164; values that are no phone numbers are unchanged.'),
  createdAt: z.iso.datetime().describe('When the lead was created.'),
  modifiedAt: z.iso.datetime().describe('When the lead was last changed.'),
  closedAt: z.iso.datetime().nullable().describe('When the lead was closed; null while it is open.'),
}).meta({
  id: 'Lead',
  examples: [
    {
      id: 1203,
      title: 'Villa in Arabian Ranches',
      firstName: 'Sara',
      lastName: null,
      status: 'IN_PROCESS',
      outcome: 'open',
      source: 'WEB',
      sourceDescription: null,
      assignedUserId: 17,
      phones: ['+971501234561'],
      emails: [],
      comments: null,
      amount: '5200000.00',
      currency: 'AED',
      utm: { source: 'instagram', medium: null, campaign: 'ranches-launch', term: null, content: null },
      originatorId: null,
      originId: null,
      country: 'AE',
      dncStatus: 'clear',
      interestedLocations: 'Arabian Ranches, Dubai',
      matchedAgent: null,
      activitySummary: null,
      page: 'https://meridianpalm.example/ranches-launch',
      marketingConsent: true,
      createdAt: '2026-01-31T08:00:00.000Z',
      modifiedAt: '2026-01-31T08:04:12.000Z',
      closedAt: null,
    },
  ],
});

export const leadResource = (lead: Lead) => ({
  ...lead,
  phones: lead.phones.map(phone => toE164(phone) ?? phone),
});

export const CreatedLead = z
  .object({
    id: z.int().describe('The lead in the CRM.'),
    duplicateOf: z.int().nullable().describe('An open lead with the same phone number or e-mail address.'),
  })
  .meta({ id: 'CreatedLead', examples: [{ id: 1203, duplicateOf: null }] });

export const leadNotFound = (id: number): ServiceError => new ServiceError('not-found', `The CRM has no lead ${id}.`);
