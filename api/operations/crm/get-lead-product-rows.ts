import { z } from 'zod';
import { ProductRow } from '../../../core/integrations/crm/leads.ts';
import crmSystem from '../../../core/integrations/crm/system.ts';
import { idIn } from '../../http/input-fields.ts';
import { defineOperation } from '../../http/operation.ts';
import { leadNotFound } from './lead-resource.ts';

const ProductRows = z.object({ items: z.array(ProductRow).describe('The rows.') }).meta({
  id: 'ProductRows',
  examples: [
    {
      items: [
        {
          id: 901,
          productId: 312,
          name: 'Two-bedroom apartment, Marina Gate 1',
          price: '2850000.00',
          quantity: 1,
          discount: '0.00',
          taxRate: null,
          taxIncluded: false,
          measure: 'unit',
        },
      ],
    },
  ],
});

export default defineOperation({
  summary: 'Get a lead’s product rows.',
  id: 'crm.getLeadProductRows',
  route: 'GET /apps/crm/v1/leads/{id}/product-rows',
  scope: 'crm:read',
  request: { params: z.object({ id: idIn('a lead') }) },
  answers: { 200: { description: 'All rows; an empty list if the lead has none.', schema: ProductRows } },
  calls: [crmSystem],
  async handle({ params: { id } }, { services }) {
    const items = await crmSystem.client(services.systems).leads.productRows(id);
    if (!items) throw leadNotFound(id);
    return { status: 200, body: { items } };
  },
});
