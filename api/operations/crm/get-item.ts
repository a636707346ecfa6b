import { z } from 'zod';
import crmSystem from '../../../core/integrations/crm/system.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { idIn } from '../../http/input-fields.ts';
import { defineOperation } from '../../http/operation.ts';
import { CrmItemResource, entityTypeId } from './crm-item.ts';

export default defineOperation({
  summary: 'One CRM item.',
  id: 'crm.getItem',
  method: 'GET',
  path: '/apps/crm/v1/items/{entityTypeId}/{id}',
  scope: 'crm:read',
  request: { params: z.object({ entityTypeId, id: idIn('an item') }) },
  answers: { 200: { description: 'The item.', schema: CrmItemResource } },
  async handle({ params }, { services }) {
    const item = await crmSystem.client(services.systems).items.get(params.entityTypeId, params.id);
    if (item) return { status: 200, headers: { 'cache-control': 'no-store' }, body: item };
    throw new ServiceError(
      'not-found',
      `The CRM has no item ${params.id} of the type ${params.entityTypeId}.`,
    );
  },
});
