import { z } from 'zod';
import { CrmItem, Product } from '../../../core/integrations/crm/items.ts';
import crmSystem from '../../../core/integrations/crm/system.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { idIn } from '../../http/input-fields.ts';
import { created, defineOperation, effectPending, idempotencyKeyOf, ok } from '../../http/operation.ts';

const maxFields = 200;

const entityTypeId = idIn('an item type')
  .describe('The CRM’s entityTypeId: 1 leads, 2 deals, 3 contacts, 4 companies, others smart processes.')
  .meta({ examples: [1_036] });

const CrmItemResource = CrmItem.meta({
  id: 'CrmItem',
  examples: [
    {
      id: 88,
      entityTypeId: 1_036,
      title: 'Viewing of DXB-1042',
      fields: { id: 88, title: 'Viewing of DXB-1042', assignedById: 7, opened: 'Y' },
    },
  ],
});

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

const get = defineOperation({
  summary: 'Get a CRM item.',
  id: 'crm.getItem',
  route: 'GET /apps/crm/v1/items/{entityTypeId}/{id}',
  scope: 'crm:read',
  request: { params: z.object({ entityTypeId, id: idIn('an item') }) },
  answers: { 200: { description: 'The item.', schema: CrmItemResource } },
  calls: [crmSystem],
  async handle({ params }, { services }) {
    const item = await crmSystem.client(services.systems).items.get(params.entityTypeId, params.id);
    if (item) return ok(item);
    throw new ServiceError('not-found', `The CRM has no item ${params.id} of the type ${params.entityTypeId}.`);
  },
});

const create = defineOperation({
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
    const { result } = await services.effects.once({
      key: `item:${client.clientId}:${idempotencyKeyOf(call)}`,
      kind: 'item-created',
      system: 'crm',
      result: z.object({ id: z.int() }),
      execute: async () => ({ id: (await crm.items.add(params.entityTypeId, body.fields)).id }),
    });
    const item = await crm.items.get(params.entityTypeId, result.id);
    return created(
      call,
      `/apps/crm/v1/items/${params.entityTypeId}/${result.id}`,
      item ?? { id: result.id, entityTypeId: params.entityTypeId, title: '', fields: {} },
    );
  },
});

const ProductResource = Product.meta({
  id: 'Product',
  examples: [
    {
      id: 312,
      name: 'Two-bedroom apartment, Marina Gate 1',
      code: 'marina-gate-1-2br',
      active: true,
      price: '2850000.00',
      currency: 'AED',
      description: null,
      sectionId: 12,
      properties: { property101: { value: 'Dubai Marina', valueId: '4471' } },
    },
  ],
});

const getProduct = defineOperation({
  summary: 'Get a product from the CRM.',
  id: 'crm.getProduct',
  route: 'GET /apps/crm/v1/products/{id}',
  scope: 'crm:read',
  request: { params: z.object({ id: idIn('a product') }) },
  answers: { 200: { description: 'The product.', schema: ProductResource } },
  calls: [crmSystem],
  async handle({ params: { id } }, { services }) {
    const product = await crmSystem.client(services.systems).products.get(id);
    if (!product) throw new ServiceError('not-found', `The CRM has no product ${id}.`);
    return { status: 200, body: product };
  },
});

export default [get, create, getProduct];
