/** How the listing portal's Enterprise API is reached. */
import { z } from 'zod';
import { httpAddress, wholeNumber } from '../../runtime/config.ts';

export const ListingPortalConfig = z.object({
  LISTING_PORTAL_URL: httpAddress
    .optional()
    .describe(
      'The listing portal’s API, such as https://atlas.propertyfinder.com; unset: the sandbox in development.',
    ),
  LISTING_PORTAL_API_KEY: z
    .string()
    .optional()
    .describe('Key of the listing portal’s API, of the type API integration.'),
  LISTING_PORTAL_API_SECRET: z.string().optional().describe('Secret that belongs to the key.'),
  LISTING_PORTAL_CALLS_PER_MINUTE: wholeNumber(6, 1_000_000)
    .default(650)
    .describe('Calls to the listing portal in a minute, by all processes together; it allows 650.'),
});

export type ListingPortalConfig = z.infer<typeof ListingPortalConfig>;
