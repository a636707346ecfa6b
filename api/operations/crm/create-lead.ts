import { z } from 'zod';
import { createLeadOnce, findOpenLead } from '../../../core/domain/leads/create-lead.ts';
import crmSystem from '../../../core/integrations/crm/system.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { EmailInput, PhoneInput, shortText } from '../../http/input-fields.ts';
import { created, defineOperation, idempotencyKeyOf } from '../../http/operation.ts';
import { CreatedLead, UtmInput } from './lead-resource.ts';

const NewLeadInput = z
  .object({
    title: shortText.min(1, 'must not be empty').describe('Title in the CRM’s lists.'),
    firstName: shortText.optional(),
    lastName: shortText.optional(),
    phones: z.array(PhoneInput).max(20, 'must have at most 20 phone numbers').default([]),
    emails: z.array(EmailInput).max(20, 'must have at most 20 e-mail addresses').default([]),
    status: shortText.max(50).optional().describe('The CRM’s name; absent: its first status.'),
    source: shortText.max(50).optional().describe('The CRM’s name, such as WEB.'),
    sourceDescription: shortText.optional(),
    assignedUserId: z
      .int()
      .min(1)
      .optional()
      .describe('The responsible CRM user; absent: as the CRM’s rules assign it.'),
    comments: z.string().max(10_000, 'must have at most 10,000 characters').optional(),
    amount: z
      .string()
      .regex(/^\d{1,15}(\.\d{1,2})?$/, 'must be a decimal of at most 15 digits before the point, such as 1250000.00')
      .optional(),
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code')
      .optional(),
    utm: UtmInput.optional(),
    onDuplicate: z
      .enum(['create', 'refuse'], { error: 'must be create or refuse' })
      .default('create')
      .describe('If an open lead has the same phone number or e-mail address: create another, or return 409.'),
  })
  .meta({
    examples: [{ title: 'Villa in Arabian Ranches', firstName: 'Sara', phones: ['050 123 4561'], source: 'WEB' }],
  });

export default defineOperation({
  summary: 'Create a lead, once per Idempotency-Key. The answer has the id of an open lead of the same person.',
  id: 'crm.createLead',
  method: 'POST',
  path: '/apps/crm/v1/leads',
  scope: 'crm:write',
  idempotent: true,
  request: { body: NewLeadInput },
  answers: { 201: { description: 'The lead was created.', schema: CreatedLead } },
  async handle({ body: { onDuplicate, ...lead } }, call) {
    const { services, client } = call;
    const crm = crmSystem.client(services.systems);
    const open = await findOpenLead(crm, lead);
    if (open && onDuplicate === 'refuse')
      throw new ServiceError('conflict', `Lead ${open.id} is open and has the same phone number or e-mail address.`);
    const id = await createLeadOnce(
      { crm, effects: services.effects },
      `crm.createLead:${client.clientId}:${idempotencyKeyOf(call)}`,
      lead,
    );
    const duplicateOf = open && open.id !== id ? open.id : null;
    return created(call, `/apps/crm/v1/leads/${id}`, { id, duplicateOf });
  },
});
