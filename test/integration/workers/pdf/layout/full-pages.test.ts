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

it('contacts on page two are between the words and the closing band', async () => {
  const spaces: FitText = () =>
    [...document.querySelectorAll('.contact')].flatMap(contact => {
      const page = contact.closest('.file');
      const words = [...(page?.querySelectorAll('.left > *, .right > *') ?? [])];
      const above = Math.max(0, ...words.map(section => section.getBoundingClientRect().bottom));
      const { top, bottom } = contact.getBoundingClientRect();
      const band = page?.querySelector('.ledger')?.getBoundingClientRect().top ?? 0;
      return [top - above, band - bottom].map(space => ({ listing: 0, field: String(space), level: 0, cut: false }));
    });
  const facts = { price: '1200000', bedroom: '2', bathroom: '2', size: '900', city: 'Dubai', views: 'Sea' };
  const located = { geopoints: '25.1190,55.1310', community: 'Palm Jumeirah' };
  const texts = { description_en: 'A quiet street. '.repeat(60), amenities: 'Pool, Gym, Balcony' };
  const fields = [{}, facts, { ...facts, ...located }, { ...facts, ...located, ...texts }, { ...facts, ...texts }];
  const homes = fields.flatMap(given => [0, 1, 2, 5].map((photos): [object, number] => [given, photos]));
  const found = await measured(spaces, false, homes);
  expect(found.length).toBeGreaterThan(10);
  for (const space of found) expect(space).toBeGreaterThan(0);
});
