import { z } from 'zod';
import { ensureLocation } from '../../../core/domain/locations/ensure-location.ts';
import { createPortalLocations } from '../../../core/domain/locations/portal-locations.ts';
import crmSystem from '../../../core/integrations/crm/system.ts';
import { CrmLocationType } from '../../../core/integrations/crm/types.ts';
import type { Location } from '../../../core/integrations/listing-portal/location.ts';
import { ourLocation } from '../../../core/integrations/listing-portal/wire.ts';
import { defineOperation, effectPending, ok } from '../../http/operation.ts';
import type { ApiServices } from '../../services.ts';

const text = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^\P{Cc}*$/u, 'must not have control characters');
const idError = 'must be the portal’s id, a positive whole number';
const Node = z.object({
  id: z
    .union(
      [
        z.int(),
        z
          .string()
          .regex(/^\d{1,10}$/)
          .transform(Number),
      ],
      { error: idError },
    )
    .pipe(z.int(idError).min(1, idError).max(2_147_483_647, idError))
    .describe('The portal’s id.'),
  type: text.describe('Type of the place, such as COMMUNITY.'),
  name: text.describe('English name.'),
});
const degrees = (max: number) =>
  z.number('must be a number of degrees').min(-max, `must be at least -${max}`).max(max, `must be at most ${max}`);

/** A location as the listing portal's `GET /v1/locations` returns it. */
const GivenLocation = Node.extend({
  tree: z
    .array(Node, 'must be a list of places from the city down')
    .max(20, 'must have at most 20 places')
    .default([])
    .describe('From the city down to the location itself; absent: the location is a city.'),
  coordinates: z.object({ lat: degrees(90), lng: degrees(180) }, 'must have lat and lng').nullish(),
}).meta({
  examples: [
    {
      id: 50,
      type: 'COMMUNITY',
      name: 'Dubai Marina',
      tree: [
        { id: 1, type: 'CITY', name: 'Dubai' },
        { id: 50, type: 'COMMUNITY', name: 'Dubai Marina' },
      ],
      coordinates: { lat: 25.07, lng: 55.14 },
    },
  ],
});

const Outcome = z
  .object({
    outcome: z
      .enum(['found', 'created', 'ambiguous', 'refused'])
      .describe('`ambiguous`: decide with POST /apps/crm/v1/locations/aliases.'),
    crmId: z.int().nullable().describe('Null unless found or created.'),
    path: z
      .array(z.object({ id: z.int(), name: z.string(), type: CrmLocationType.nullable() }))
      .describe('In the CRM, from the city down to the location itself.'),
    reason: z.string().describe('Why this is the outcome.'),
  })
  .meta({
    examples: [
      {
        outcome: 'found',
        crmId: 4711,
        path: [
          { id: 4001, name: 'Dubai', type: 'city' },
          { id: 4711, name: 'Dubai Marina', type: 'community' },
        ],
        reason: 'The CRM has a community of this name in Dubai.',
      },
    ],
  });

export default defineOperation({
  summary:
    'Add one listing-portal location to the CRM with its parents, unless it exists. Returns what was found or created, or the reason why not.',
  id: 'crm.tryLocation',
  route: 'POST /apps/crm/v1/locations/sync/test',
  scope: 'crm:sync',
  idempotent: true,
  request: { body: GivenLocation },
  answers: { 200: { description: 'The result.', schema: Outcome } },
  calls: [crmSystem],
  problems: effectPending,
  async handle({ body }, { services }) {
    const location = await withArabicNames(services, ourLocation(body), body.coordinates ?? null);
    const context = { ...services, crm: crmSystem.client(services.systems) };
    return ok(await ensureLocation(context, location));
  },
});

/** The portal returns names in one language; the Arabic ones come from the local mirror. */
async function withArabicNames(
  { database }: ApiServices,
  { id, type, name, path }: ReturnType<typeof ourLocation>,
  coordinates: Location['coordinates'],
): Promise<Location> {
  const known = await createPortalLocations(database).some(path.map(place => place.id));
  const arabic = new Map(known.map(place => [place.id, place.nameAr]));
  const places = path.map(place => ({ ...place, nameAr: arabic.get(place.id) ?? null }));
  return { id, type, name, nameAr: arabic.get(id) ?? null, places, coordinates };
}
