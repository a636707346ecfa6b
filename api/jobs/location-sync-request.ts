/** What the requests that start a location sync may say. */
import { z } from 'zod';
import { cities, findCity } from '../../core/integrations/listing-portal/normalize-name.ts';

/** A city however it is written, as its English name. */
export const CityName = z.string({ error: 'must be the name of a city' }).transform((name, context) => {
  const city = findCity(name);
  if (city) return city.name;
  const message = `must be one of ${cities.map(each => each.name).join(', ')}`;
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});

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
