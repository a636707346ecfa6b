/** A decision about which CRM location a listing-portal location is, in requests and answers. */
import { z } from 'zod';
import type { LocationAlias } from '../../../core/domain/locations/location-aliases.ts';

export const idError = 'must be the id of a location';
export const locationId = z.int(idError).min(1, idError).max(2_147_483_647, idError);

export const Alias = z
  .object({
    portalLocationId: locationId.describe('The listing portal’s id.'),
    crmLocationId: locationId.describe('The id of the same location in the CRM.'),
  })
  .meta({ examples: [{ portalLocationId: 50, crmLocationId: 4711 }] });

export const LocationAliasResource = z
  .object({
    portalLocationId: z.int(),
    crmLocationId: z.int(),
    decidedBy: z.string().describe('The client that sent the decision.'),
    decidedAt: z.iso.datetime(),
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

export const locationAliasResource = ({ decidedAt, ...alias }: LocationAlias) => ({
  ...alias,
  decidedAt: decidedAt.toISOString(),
});
