/** What the requests that start a location sync may say. */
import { z } from 'zod';
import { CityName } from '../portal/location-resource.ts';

export const LocationSyncRequest = z
  .object({
    dryRun: z
      .boolean('must be true or false')
      .default(false)
      .describe('Answers the difference, and changes nothing.')
      .meta({ examples: [true] }),
    scope: z
      .object({ city: CityName.optional().describe('Only this city, such as `Dubai`.') })
      .default({})
      .describe('What of the listing portal is looked at; absent: all.'),
  })
  .prefault({});
