/** Where do-not-call numbers are asked for. */
import { z } from 'zod';
import { httpAddress, wholeNumber } from '../../runtime/config.ts';

export const DncRegistryConfig = z.object({
  DNC_URL: httpAddress.optional().describe('The do-not-call registry; unset: not configured.'),
  DNC_API_KEY: z.string().default('').describe('Key to the do-not-call registry.'),
  DNC_CACHE_HOURS: wholeNumber(1, 720)
    .default(24)
    .describe('How long an answer of the do-not-call registry is used before it is asked again.'),
});

export type DncRegistryConfig = z.infer<typeof DncRegistryConfig>;
