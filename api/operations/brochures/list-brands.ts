import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { findBrands } from '../../../core/domain/brands/brands.ts';
import { templateFolder } from '../../../core/runtime/discover.ts';
import { defineOperation } from '../../http/operation.ts';

/** The part of a brand's file that callers see. */
const BrandFile = z.object({ name: z.string() });

const BrandList = z
  .object({
    items: z
      .array(
        z.object({
          brand: z.string().nullable().describe('Value of `brand` in requests; null: the company’s own, the default.'),
          name: z.string().describe('Name on the brochures.'),
        }),
      )
      .describe('The company’s own brand first, then the others by `brand`.'),
    nextCursor: z.null().describe('All brands are on one page.'),
  })
  .meta({
    examples: [
      {
        items: [
          { brand: null, name: 'Meridian & Palm' },
          { brand: 'northline', name: 'Northline' },
        ],
        nextCursor: null,
      },
    ],
  });

export default defineOperation({
  summary: 'List the brands that brochures can be printed with.',
  id: 'portal.listBrands',
  route: 'GET /brands',
  scope: 'pdf',
  request: {},
  answers: { 200: { description: 'All configured brands.', schema: BrandList } },
  async handle(_, { services }) {
    const files: (readonly [brand: string | null, file: URL])[] = [
      [null, new URL('brand.json', templateFolder)],
      ...(await findBrands(services.config)),
    ];
    const items = await Promise.all(
      files.map(async ([brand, file]) => ({ brand, ...BrandFile.parse(JSON.parse(await readFile(file, 'utf8'))) })),
    );
    return { status: 200, body: { items, nextCursor: null } };
  },
});
