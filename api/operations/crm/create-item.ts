import { z } from 'zod';
import { createItemOnce } from '../../../core/domain/crm/create-item.ts';
import crmSystem from '../../../core/integrations/crm/system.ts';
import { created, defineOperation, effectPending, idempotencyKeyOf } from '../../http/operation.ts';
import { CrmItemResource, entityTypeId } from './item-resource.ts';

const maxFields = 200;

const NewItem = z
  .object({
    fields: z
      .record(z.string().regex(/^[A-Za-z]\w{0,99}$/, 'must be the name of a field'), z.unknown(), {
        error: 'must be an object with the item’s fields',
      })
      .refine(fields => Object.keys(fields).length > 0, 'must have at least one field')
      .refine(fields => Object.keys(fields).length <= maxFields, `must have at most ${maxFields} fields`)
      .describe('Free-form, with the CRM’s own names; the CRM ignores fields that the type does not have.'),
  })
  .meta({ examples: [{ fields: { title: 'Viewing of DXB-1042', assignedById: 7 } }] });

export default defineOperation({
  summary:
    'Create a CRM item. If the CRM does not answer, it is unknown whether the item exists: the answer says so, and the ' +
    'same Idempotency-Key creates nothing again.',
  id: 'crm.createItem',
  route: 'POST /apps/crm/v1/items/{entityTypeId}',
  scope: 'crm:write',
  idempotent: true,
  request: { params: z.object({ entityTypeId }), body: NewItem },
  answers: { 201: { description: 'The created item.', schema: CrmItemResource, headers: ['Location'] } },
  calls: [crmSystem],
  problems: effectPending,
  async handle({ params, body }, call) {
    const { services, client } = call;
    const crm = crmSystem.client(services.systems);
    const key = `${client.clientId}:${idempotencyKeyOf(call)}`;
    const item = await createItemOnce({ crm, effects: services.effects }, key, { ...params, fields: body.fields });
    return created(call, `/apps/crm/v1/items/${item.entityTypeId}/${item.id}`, item);
  },
});
