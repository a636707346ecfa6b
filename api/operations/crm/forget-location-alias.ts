import { z } from 'zod';
import { createLocationAliases } from '../../../core/domain/locations/location-aliases.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { actorOf, defineOperation } from '../../http/operation.ts';
import { locationId } from './location-alias.ts';

export default defineOperation({
  summary: 'Take back a decision on which CRM location a listing-portal location is.',
  id: 'crm.forgetLocationAlias',
  method: 'DELETE',
  path: '/apps/crm/v1/locations/aliases/{portalLocationId}',
  scope: 'crm:sync',
  request: {
    params: z.object({
      portalLocationId: z
        .string()
        .regex(/^\d{1,10}$/, 'must be the id of a location')
        .transform(Number)
        .pipe(locationId)
        .describe('The listing portal’s id.')
        .meta({ examples: ['50'] }),
    }),
  },
  answers: { 204: { description: 'It is taken back.' } },
  async handle({ params: { portalLocationId } }, call) {
    const aliases = createLocationAliases(call.services.database);
    if (await aliases.forget(portalLocationId, actorOf(call))) return { status: 204 };
    throw new ServiceError(
      'not-found',
      `Nothing was decided on listing-portal location ${portalLocationId}.`,
    );
  },
});
