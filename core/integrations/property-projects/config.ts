/** How the property-project system is reached, and how long its reference data is used. */
import { z } from 'zod';
import { httpAddress, wholeNumber } from '../../runtime/config.ts';

export const PropertyProjectsConfig = z.object({
  PROPERTY_PROJECTS_URL: httpAddress
    .optional()
    .describe(
      'The property-project system’s API, such as https://projects.example.com/api; unset: not configured.',
    ),
  PROPERTY_PROJECTS_API_KEY: z.string().default('').describe('Key to the property-project system.'),
  PROPERTY_PROJECTS_FRESH_SECONDS: wholeNumber(0, 86_400)
    .default(300)
    .describe('How long its reference data is used before the system is asked whether it has changed.'),
  PROPERTY_PROJECTS_STALE_HOURS: wholeNumber(0, 8_760)
    .default(168)
    .describe('How old the reference data may be that is answered while the system is down.'),
  PROPERTY_PROJECTS_IMAGE_MAX_MB: wholeNumber(1, 100)
    .default(5)
    .describe('Largest image in MB that the system takes, after it was made smaller here.'),
});

export type PropertyProjectsConfig = z.infer<typeof PropertyProjectsConfig>;
