/** How the events platform is reached. */
import { z } from 'zod';
import { httpAddress, wholeNumber } from '../../runtime/config.ts';

export const EventsConfig = z.object({
  EVENTS_URL: httpAddress
    .optional()
    .describe(
      'The events platform’s API, such as https://www.eventbriteapi.com/v3; unset: the sandbox in development.',
    ),
  EVENTS_TOKEN: z.string().default('').describe('Private token at the events platform.'),
  EVENTS_ORGANIZATION_ID: z
    .string()
    .regex(/^\d+$/, 'must be a number')
    .optional()
    .describe('Organisation whose orders are read; unset: the token’s only one.'),
  EVENTS_CALLS_PER_HOUR: wholeNumber(2, 1_000_000)
    .default(1_000)
    .describe('Calls to the events platform in an hour, by all processes together.'),
});

export type EventsConfig = z.infer<typeof EventsConfig>;
