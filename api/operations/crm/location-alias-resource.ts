/** A decision about which CRM location a listing-portal location is, in answers. */
import { z } from 'zod';

export const LocationAliasResource = z
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
