import { z } from 'zod';
import crmSystem from '../../../core/integrations/crm/system.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { idIn } from '../../http/input-fields.ts';
import { defineOperation } from '../../http/operation.ts';
import { LeadResource, leadResource } from './lead-resource.ts';

export default defineOperation({
  summary: 'One lead, asked for at the CRM.',
  id: 'crm.getLead',
  method: 'GET',
  path: '/apps/crm/v1/leads/{id}',
  scope: 'crm:read',
  request: { params: z.object({ id: idIn('a lead') }) },
  answers: { 200: { description: 'The lead.', schema: LeadResource } },
  async handle({ params: { id } }, { services }) {
    const lead = await crmSystem.client(services.systems).leads.get(id);
    if (!lead) throw new ServiceError('not-found', `The CRM has no lead ${id}.`);
    return { status: 200, headers: { 'cache-control': 'no-store' }, body: leadResource(lead) };
  },
});
