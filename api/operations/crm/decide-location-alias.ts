import { z } from 'zod';
import { createLocationAliases } from '../../../core/domain/locations/location-aliases.ts';
import { createPortalLocations } from '../../../core/domain/locations/portal-locations.ts';
import crmSystem from '../../../core/integrations/crm/system.ts';
import { type Fault, invalidInput } from '../../../core/runtime/errors.ts';
import { actorOf, defineOperation } from '../../http/operation.ts';
import type { ApiServices } from '../../services.ts';
import { LocationAliasResource } from './location-alias-resource.ts';

const idError = 'must be the id of a location';

const locationId = z.int(idError).min(1, idError).max(2_147_483_647, idError);

const Alias = z
  .object({
    portalLocationId: locationId.describe('The listing portal’s id.'),
    crmLocationId: locationId.describe('The id of the same location in the CRM.'),
  })
  .meta({ examples: [{ portalLocationId: 50, crmLocationId: 4711 }] });

export default defineOperation({
  summary: 'Decide which CRM location a listing-portal location is, if the sync cannot; later syncs use the decision.',
  id: 'crm.decideLocationAlias',
  route: 'POST /apps/crm/v1/locations/aliases',
  scope: 'crm:sync',
  idempotent: true,
  request: { body: Alias },
  answers: {
    200: { description: 'The decision; it replaced an earlier one.', schema: LocationAliasResource },
    201: { description: 'The decision.', schema: LocationAliasResource },
  },
  calls: [crmSystem],
  async handle({ body }, call) {
    const faults = await unknownLocations(body, call.services);
    if (faults.length > 0) throw invalidInput(faults, 'There is no such location.');
    const { alias, isNew } = await createLocationAliases(call.services.database).decide(body, actorOf(call));
    return { status: isNew ? 201 : 200, body: alias };
  },
});

async function unknownLocations(
  { portalLocationId, crmLocationId }: z.output<typeof Alias>,
  { database, systems }: ApiServices,
): Promise<Fault[]> {
  const [onPortal, inCrm] = await Promise.all([
    createPortalLocations(database).some([portalLocationId]),
    crmSystem.client(systems).locations.get(crmLocationId),
  ]);
  const onMirror = 'must be a location in the local mirror of the listing portal';
  return [
    ...(onPortal.length > 0 ? [] : [{ pointer: '/portalLocationId', detail: onMirror }]),
    ...(inCrm ? [] : [{ pointer: '/crmLocationId', detail: 'must be a location of the CRM' }]),
  ];
}
