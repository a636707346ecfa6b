import { z } from 'zod';
import { createLocationAliases } from '../../../core/domain/locations/location-aliases.ts';
import { createPortalLocations } from '../../../core/domain/locations/portal-locations.ts';
import crmSystem from '../../../core/integrations/crm/system.ts';
import { type Fault, ServiceError } from '../../../core/runtime/errors.ts';
import { actorOf, defineOperation } from '../../http/operation.ts';
import type { ApiServices } from '../../services.ts';
import { LocationAliasResource, locationAliasResource, locationId } from './location-alias.ts';

const Alias = z
  .object({
    portalLocationId: locationId.describe('The listing portal’s id.'),
    crmLocationId: locationId.describe('The id of the CRM location that it is.'),
  })
  .meta({ examples: [{ portalLocationId: 50, crmLocationId: 4711 }] });

export default defineOperation({
  summary:
    'Decide which CRM location a listing-portal location is, where the sync cannot tell; every later sync keeps to it.',
  id: 'crm.decideLocationAlias',
  method: 'POST',
  path: '/apps/crm/v1/locations/aliases',
  scope: 'crm:sync',
  idempotent: true,
  request: { body: Alias },
  answers: {
    200: { description: 'The decision; it took the place of an earlier one.', schema: LocationAliasResource },
    201: { description: 'The decision.', schema: LocationAliasResource },
  },
  async handle({ body }, call) {
    const faults = await faultsOf(body, call.services);
    if (faults.length > 0) throw new ServiceError('invalid-input', 'There is no such location.', { faults });
    const aliases = createLocationAliases(call.services.database);
    const { alias, isNew } = await aliases.decide(body, actorOf(call));
    return { status: isNew ? 201 : 200, body: locationAliasResource(alias) };
  },
});

async function faultsOf(
  { portalLocationId, crmLocationId }: z.output<typeof Alias>,
  { database, systems }: ApiServices,
): Promise<Fault[]> {
  const [onPortal, inCrm] = await Promise.all([
    createPortalLocations(database).some([portalLocationId]),
    crmSystem.client(systems).locations.get(crmLocationId),
  ]);
  return [
    ...(onPortal.length > 0
      ? []
      : [{ pointer: '/portalLocationId', detail: 'must be a location of the listing portal’s local copy' }]),
    ...(inCrm ? [] : [{ pointer: '/crmLocationId', detail: 'must be a location of the CRM' }]),
  ];
}
