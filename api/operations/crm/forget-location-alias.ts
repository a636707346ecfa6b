import { z } from 'zod';
import { createLocationAliases } from '../../../core/domain/locations/location-aliases.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { idIn } from '../../http/input-fields.ts';
import { actorOf, defineOperation } from '../../http/operation.ts';

export default defineOperation({
  summary: 'Delete a decision about which CRM location a listing-portal location is.',
  id: 'crm.forgetLocationAlias',
  route: 'DELETE /apps/crm/v1/locations/aliases/{portalLocationId}',
  scope: 'crm:sync',
  request: {
    params: z.object({
      portalLocationId: idIn('a location')
        .describe('The listing portal’s id.')
        .meta({ examples: [50] }),
    }),
  },
  answers: { 204: { description: 'The decision is deleted.' } },
  async handle({ params: { portalLocationId: id } }, call) {
    if (await createLocationAliases(call.services.database).forget(id, actorOf(call))) return { status: 204 };
    throw new ServiceError('not-found', `There is no decision about listing-portal location ${id}.`);
  },
});
