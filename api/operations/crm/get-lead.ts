import { z } from 'zod';
import crmSystem from '../../../core/integrations/crm/system.ts';
import { idIn } from '../../http/input-fields.ts';
import { defineOperation, ok } from '../../http/operation.ts';
import { LeadResource, leadNotFound, leadResource } from './lead-resource.ts';

export default defineOperation({
  summary: 'Get a lead from the CRM.',
  id: 'crm.getLead',
  route: 'GET /apps/crm/v1/leads/{id}',
  scope: 'crm:read',
  request: { params: z.object({ id: idIn('a lead') }) },
  answers: { 200: { description: 'The lead.', schema: LeadResource } },
  calls: [crmSystem],
  async handle({ params: { id } }, { services }) {
    const lead = await crmSystem.client(services.systems).leads.get(id);
    if (!lead) throw leadNotFound(id);
    return ok(leadResource(lead));
  },
});
