/** Request body of the operations that start a location sync. */
import { z } from 'zod';
import { cities, findCity } from '../../core/integrations/listing-portal/names.ts';
import { DryRun } from '../../core/sync/report.ts';

/** Accepts any spelling of a city; outputs its English name. */
const CityName = z
  .string({ error: 'must be the name of a city' })
  .max(100, 'must be the name of a city')
  .transform((name, context) => {
    const city = findCity(name);
    if (city) return city.name;
    const message = `must be one of ${cities.map(each => each.name).join(', ')}`;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });

export const LocationSyncRequest = z.object({
  dryRun: DryRun,
  scope: z
    .object({ city: CityName.optional().describe('Only this city, such as `Dubai`.') })
    .default({})
    .describe('Part of the listing portal to sync; absent: all.'),
});
