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
async function measured(
  measure: FitText,
  options: Omit<Parameters<typeof chooseDesign>[0], 'design'>,
  listings: readonly [object, number][],
) {
  const design = await chooseDesign({ design: 'new', ...options });
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
  const spaces = await measured(spaceBelowRows, { language: 'en', cover: true }, Array(30).fill(home));
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
  const found = await measured(spaces, { language: 'en', cover: false }, homes);
  expect(found.length).toBeGreaterThan(10);
  for (const space of found) expect(space).toBeGreaterThan(0);
});

it.each(['en', 'ar'] as const)('a listing on one page has all words above the closing band, in %s', async language => {
  const spaces: FitText = () =>
    [...document.querySelectorAll('.poster')].flatMap(page => {
      const band = page.querySelector('.ledger')?.getBoundingClientRect().top;
      const sections = [...page.querySelectorAll('.lead > *, .card')].map(part => part.getBoundingClientRect());
      const story = page.querySelector('.story');
      const hidden = story === null ? 0 : Math.max(0, story.scrollHeight - story.clientHeight - 4);
      const space = (band ?? Number.NaN) - Math.max(...sections.map(({ bottom }) => bottom)) - 9 * hidden;
      return [{ listing: 0, field: String(space), level: 0 as const, cut: false }];
    });
  const facts = { price: '1200000', bedroom: '2', bathroom: '2', size: '900', parking: '1', furnished: 'Yes' };
  const rows = { views: 'Sea', current_status: 'Vacant', property_condition: 'New', property_type: 'Villa' };
  const sentence = 'A quiet street in a garden, five minutes from the sea. ';
  const description = (count: number) => ({ description_en: sentence.repeat(count) });
  const amenities = { amenities: 'Pool, Gym, Balcony, Study' };
  const texts = [{}, ...[1, 3, 5, 8, 12].map(description), amenities, { ...amenities, ...description(2) }];
  const homes = texts.flatMap(text =>
    [facts, { ...facts, ...rows }].flatMap(given =>
      [0, 1].map((photos): [object, number] => [{ ...given, ...text }, photos]),
    ),
  );
  const found = await measured(spaces, { language, cover: false, pages: 'auto' }, homes);
  const single = found.filter(space => !Number.isNaN(space));
  expect(single.length).toBeGreaterThan(homes.length / 2);
  for (const space of single) expect(space).toBeGreaterThan(0);
});
