/// <reference lib="dom" />
/** Full and nearly empty pages: no content overlaps the content below it. */
import { expect, it } from 'vitest';
import { openDesigns } from '../../../../../workers/pdf/layout/designs.ts';
import type { PreparedListing } from '../../../../../workers/pdf/layout/view/listing.ts';
import { Listing } from '../../../../../workers/pdf/listing.ts';
import type { FitText } from '../../../../../workers/pdf/print/print-page.ts';
import { openLayoutPage } from '../../../../support/layout-page.ts';

const chooseDesign = await openDesigns({});
const shapes = (photos: number) => Array.from({ length: photos }, () => ({ widthPx: 1_920, heightPx: 1_280 }));

/** Runs `measure` in the document. @returns its number per page */
async function measured(measure: FitText, cover: boolean, listings: readonly [object, number][]) {
  const design = await chooseDesign({ design: 'new', language: 'en', cover });
  const prepared = listings.map(([fields, photos]): PreparedListing => {
    const listing = Listing.parse({ reference_number: 'R-1', title_en: 'Home', ...fields });
    const places = design.arrange(shapes(photos), 0, listing);
    return { listing, photos: places.map(({ slot }) => ({ slot, src: null })), agentPhoto: null };
  });
  const page = await openLayoutPage(measure);
  const fits = await page.layOut({ html: design.html(prepared), assets: design.assets });
  await page.close();
  return fits.map(({ field }) => Number(field));
}

it('the rows of the table of contents end above the footer on every page', async () => {
  const spaceBelowRows: FitText = () =>
    [...document.querySelectorAll('.cover')].map(page => {
      const footer = page.querySelector('.cover-foot')?.getBoundingClientRect().top ?? 0;
      const rows = page.querySelector('ol')?.getBoundingClientRect().bottom ?? Number.POSITIVE_INFINITY;
      return { listing: 0, field: String(footer - rows), level: 0, cut: false };
    });
  const home: [object, number] = [{ price: '1200000', bedroom: '2', size: '900', city: 'Dubai' }, 1];
  const spaces = await measured(spaceBelowRows, true, Array(30).fill(home));
  expect(spaces).toHaveLength(4);
  for (const space of spaces) expect(space).toBeGreaterThan(0);
});

it.each([
  ['many facts', { price: '1200000', bedroom: '2', bathroom: '2', size: '900', city: 'Dubai' }],
  ['no facts', {}],
])(
  'the address of the brand is above the closing band of page two for a home with %s and no texts',
  async (_, fields) => {
    const spaceBelowAddress: FitText = () =>
      [...document.querySelectorAll('.file')].map(page => {
        const band = page.querySelector('.ledger')?.getBoundingClientRect().top ?? 0;
        const address = page.querySelector('.closing-address')?.getBoundingClientRect().bottom;
        return { listing: 0, field: String(band - (address ?? Number.NaN)), level: 0, cut: false };
      });
    const homes = [1, 2, 3, 4, 5, 9].map((photos): [object, number] => [fields, photos]);
    for (const space of await measured(spaceBelowAddress, false, homes)) expect(space).toBeGreaterThan(0);
  },
);
