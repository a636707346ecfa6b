import { z } from 'zod';
import { Product } from '../../../core/integrations/crm/items.ts';
import crmSystem from '../../../core/integrations/crm/system.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { idIn } from '../../http/input-fields.ts';
import { defineOperation } from '../../http/operation.ts';

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

export default defineOperation({
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
