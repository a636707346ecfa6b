/** Where the house's further brands are. */
import { z } from 'zod';

export const BrandsConfig = z.object({
  BRANDS_DIR: z
    .string()
    .optional()
    .describe(
      'Folder of the brands a request may name, one NAME.json each with its logo beside it; unset: templates/brands.',
    ),
});

export type BrandsConfig = z.infer<typeof BrandsConfig>;
