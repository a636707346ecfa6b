import { z } from 'zod';
import crmSystem from '../../../core/integrations/crm/system.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { idIn } from '../../http/input-fields.ts';
import { defineOperation, ok } from '../../http/operation.ts';
import { CrmItemResource, entityTypeId } from './item-resource.ts';

export default defineOperation({
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
