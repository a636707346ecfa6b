import { z } from 'zod';
import { createLocationAliases } from '../../../core/domain/locations/location-aliases.ts';
import { createPortalLocations } from '../../../core/domain/locations/portal-locations.ts';
import crmSystem from '../../../core/integrations/crm/system.ts';
import { type Fault, invalidInput, ServiceError } from '../../../core/runtime/errors.ts';
import { idIn } from '../../http/input-fields.ts';
import { actorOf, defineOperation } from '../../http/operation.ts';
import { cutPage, decodeCursor, ListQuery, nextLink, pageSchema } from '../../http/paging.ts';
import type { ApiServices } from '../../services.ts';

const idError = 'must be the id of a location';
const locationId = z.int(idError).min(1, idError).max(2_147_483_647, idError);

const Alias = z
  .object({
    portalLocationId: locationId.describe('The listing portal’s id.'),
    crmLocationId: locationId.describe('The id of the same location in the CRM.'),
  })
  .meta({ examples: [{ portalLocationId: 50, crmLocationId: 4711 }] });

const LocationAliasResource = z
  .object({
    portalLocationId: z.int().describe('The listing portal’s id.'),
    crmLocationId: z.int().describe('The id in the CRM.'),
    decidedBy: z.string().describe('The client that sent the decision.'),
    decidedAt: z.iso.datetime().describe('When it was decided.'),
  })
  .meta({
    id: 'LocationAlias',
    examples: [
      {
        portalLocationId: 50,
        crmLocationId: 4711,
        decidedBy: 'portal',
        decidedAt: '2026-01-31T08:00:00.000Z',
      },
    ],
  });

const AliasCursor = z.object({ after: z.string().regex(/^\d{1,10}$/) });

const list = defineOperation({
  summary: 'List the decisions about which CRM location a listing-portal location is, sorted by the portal’s id.',
  id: 'crm.listLocationAliases',
  route: 'GET /apps/crm/v1/locations/aliases',
  scope: 'crm:sync',
  request: { query: ListQuery },
  answers: { 200: { description: 'A page of decisions.', schema: pageSchema(LocationAliasResource) } },
  async handle({ query: { cursor, limit } }, { services, request }) {
    const after = cursor === undefined ? 0 : Number(decodeCursor(cursor, AliasCursor).after);
    const found = await createLocationAliases(services.database).list({ after, limit: limit + 1 });
    const page = cutPage(found, limit, last => ({ after: String(last.portalLocationId) }));
    return { status: 200, headers: nextLink(request, page.nextCursor), body: page };
  },
});

const decide = defineOperation({
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

const forget = defineOperation({
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

export default [list, decide, forget];

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
