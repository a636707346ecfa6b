import { z } from 'zod';
import { createLeadOnce, findOpenLead, withNote } from '../../../core/domain/leads/create-lead.ts';
import crmSystem from '../../../core/integrations/crm/system.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { created, defineOperation, effectPending, idempotencyKeyOf } from '../../http/operation.ts';
import { leadInput, leadOf, rejectBothForms } from './lead-input.ts';
import { CreatedLead } from './lead-resource.ts';

const NewLeadInput = z
  .object({
    ...leadInput,
    title: leadInput.title.unwrap().describe('Title in the CRM’s lists.'),
    onDuplicate: z
      .enum(['create', 'refuse'])
      .default('create')
      .describe('If an open lead has the same phone number or e-mail address: create another, or return 409.'),
  })
  .superRefine(rejectBothForms)
  .meta({
    examples: [{ title: 'Villa in Arabian Ranches', name: 'Sara Haddad', phone: '050 123 4561', source: 'WEB' }],
  });

export default defineOperation({
  summary: 'Create a lead, once per Idempotency-Key. The answer has the id of an open lead of the same person.',
  id: 'crm.createLead',
  route: 'POST /apps/crm/v1/leads',
  scope: 'crm:write',
  idempotent: true,
  request: { body: NewLeadInput },
  answers: { 201: { description: 'The lead was created.', schema: CreatedLead, headers: ['Location'] } },
  calls: [crmSystem],
  problems: {
    conflict: 'An open lead has the same phone number or e-mail address, and `onDuplicate` is `refuse`.',
    ...effectPending,
  },
  async handle({ body: { onDuplicate, ...given } }, call) {
    const { services, client } = call;
    const lead = leadOf(given);
    const crm = crmSystem.client(services.systems);
    const { open, doubts } = await findOpenLead(crm, lead);
    if (open && onDuplicate === 'refuse')
      throw new ServiceError('conflict', `Lead ${open.id} is open and has the same phone number or e-mail address.`);
    const id = await createLeadOnce(
      { crm, effects: services.effects },
      `crm.createLead:${client.clientId}:${idempotencyKeyOf(call)}`,
      withNote(lead, doubts),
    );
    const duplicateOf = open && open.id !== id ? open.id : null;
    return created(call, `/apps/crm/v1/leads/${id}`, { id, duplicateOf });
  },
});
