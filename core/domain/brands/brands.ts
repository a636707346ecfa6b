/** Brands that a request may name: NAME.json files in one folder. */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { rootFolder } from '../../runtime/discover.ts';
import { undefinedIfMissing } from '../../runtime/error-code.ts';

export const BrandsConfig = z.object({
  BRANDS_DIR: z
    .string()
    .optional()
    .describe('Folder of brands, each with NAME.json and a logo; unset: templates/brands.'),
});
export type BrandsConfig = z.infer<typeof BrandsConfig>;

const brandFile = /^([a-z0-9][a-z0-9-]{0,62})\.json$/;

/** Files of the brands by name, sorted. Reads the folder on every call, so that a new brand needs no restart. */
export async function findBrands({ BRANDS_DIR }: BrandsConfig): Promise<Map<string, URL>> {
  const folder = path.resolve(BRANDS_DIR ?? path.join(rootFolder, 'templates', 'brands'));
  const files = await readdir(folder).catch(undefinedIfMissing);
  const brands = (files ?? []).sort().flatMap(file => {
    const name = brandFile.exec(file)?.[1];
    return name === undefined ? [] : [[name, pathToFileURL(path.join(folder, file))] as const];
  });
  return new Map(brands);
}
