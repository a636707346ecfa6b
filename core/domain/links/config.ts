/** How clicks on short links are told apart by country. */
import { existsSync } from 'node:fs';
import { z } from 'zod';

export const LinksConfig = z.object({
  COUNTRY_HEADER: z
    .string()
    .regex(/^[A-Za-z0-9-]+$/, 'must be the name of a header, such as CF-IPCountry')
    .optional()
    .describe(
      'Header in which the proxy before the service tells the caller’s country, such as CF-IPCountry; unset: looked up by address.',
    ),
  COUNTRY_DATABASE: z
    .string()
    .refine(existsSync, 'must be a file that is there')
    .optional()
    .describe(
      'MaxMind-format file (.mmdb) that countries are looked up in; unset: the one that comes with the service.',
    ),
});

export type LinksConfig = z.infer<typeof LinksConfig>;
