import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import crmSystem from '../../../core/integrations/crm/system.ts';
import { defineOperation } from '../../http/operation.ts';
import { CrmItemResource, entityTypeId } from './crm-item.ts';

const maxFields = 200;

const NewItem = z
  .object({
    fields: z
      .record(z.string().regex(/^[A-Za-z]\w{0,99}$/, 'must be the name of a field'), z.unknown(), {
        error: 'must be an object with the item’s fields',
      })
      .refine(fields => Object.keys(fields).length > 0, 'must have at least one field')
      .refine(fields => Object.keys(fields).length <= maxFields, `must have at most ${maxFields} fields`)
      .describe('As the CRM names them; it ignores those that the type does not have.'),
  })
  .meta({ examples: [{ fields: { title: 'Viewing of DXB-1042', assignedById: 7 } }] });

export default defineOperation({
  summary:
    'Create a CRM item. The CRM cannot be asked whether it did: when it breaks off, the answer says so, and the same ' +
    'Idempotency-Key creates nothing again.',
  id: 'crm.createItem',
  method: 'POST',
  path: '/apps/crm/v1/items/{entityTypeId}',
  scope: 'crm:write',
  idempotent: true,
  request: { params: z.object({ entityTypeId }), body: NewItem },
  answers: { 201: { description: 'The item as the CRM made it.', schema: CrmItemResource } },
  async handle({ params, body }, { services, client, request }) {
    const crm = crmSystem.client(services.systems);
    const key = request.headers['idempotency-key']?.toString() ?? randomUUID();
    const { result } = await services.effects.once({
      key: `item:${client.clientId}:${key}`,
      kind: 'item-created',
      system: 'crm',
      result: z.object({ id: z.int() }),
      execute: async () => ({ id: (await crm.items.add(params.entityTypeId, body.fields)).id }),
    });
    const item = await crm.items.get(params.entityTypeId, result.id);
    return {
      status: 201,
      headers: {
        location: `${services.config.BASE_PATH}/apps/crm/v1/items/${params.entityTypeId}/${result.id}`,
      },
      body: item ?? { id: result.id, entityTypeId: params.entityTypeId, title: '', fields: {} },
    };
  },
});
