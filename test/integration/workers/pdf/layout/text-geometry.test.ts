/**
 * No text of any field is clipped, overlaps its neighbour or leaves the margins: in both designs, on images for sharing and in all
 * languages, on the cover, below maps and floor plans, with and without photos. A text that is too long is shortened, with a warning. On Arabic pages, headlines of both
 * directions share one edge.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSamples, type Samples, sampleNames } from '../../../../../workers/pdf/gallery/samples.ts';
import { openDesigns } from '../../../../../workers/pdf/layout/designs.ts';
import { planSlots } from '../../../../../workers/pdf/layout/floor-plans.ts';
import type { PreparedListing } from '../../../../../workers/pdf/layout/view/listing.ts';
import { extremeListings } from '../../../../support/extreme-listings.ts';
import { type LayoutPage, layoutOf, openLayoutPage } from '../../../../support/layout-page.ts';
import { origin, photo } from '../../../../support/printing.ts';
import { fitAndFindFaults } from '../../../../support/text-geometry.ts';

const chooseDesign = await openDesigns({ BRANDS_DIR: undefined });
/** Its longest attribution. */
const withMaps = await openDesigns({
  BRANDS_DIR: undefined,
  MAP_URL: 'https://maps.example/{lat},{lon}',
  MAP_ATTRIBUTION: '© Gegýpqjÿ contributors of the map, '.repeat(4).slice(0, 120).trim(),
});
const drawing = `${origin}/drawing.jpg`;

/** Headlines whose right edge is not the margin of an Arabic page. Runs in the page. */
function findOtherEdges(): string[] {
  if (document.documentElement.dir !== 'rtl') return [];
  const found: string[] = [];
  for (const page of document.querySelectorAll('.page[data-listing]')) {
    const edge = page.getBoundingClientRect().right - (14 / 25.4) * 96;
    const storyHeading = page.querySelector('.story-heading, .story h2');
    for (const element of [...page.querySelectorAll('h1, .kicker p, .badge, .place p, p.place'), storyHeading]) {
      if (element === null) continue;
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      // The badge has a box, whose padding counts.
      const rights = element.matches('.badge') ? [element.getBoundingClientRect().right] : [];
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
        for (const { index, 0: word } of (node.textContent ?? '').matchAll(/\S+/g)) {
          const range = document.createRange();
          range.setStart(node, index);
          range.setEnd(node, index + word.length);
          if (!element.matches('.badge')) rights.push(...[...range.getClientRects()].map(({ right }) => right));
        }
      const distance = edge - Math.max(...rights);
      if (Math.abs(distance) > 2) found.push(`${distance.toFixed(1)} px from the edge: ${element.textContent}`);
    }
  }
  return found;
}

let page: LayoutPage;
let samples: Samples;

beforeAll(async () => {
  page = await openLayoutPage(fitAndFindFaults(findOtherEdges));
  samples = await openSamples();
});
afterAll(async () => {
  await page?.close();
  await samples?.close();
});

const repeated = (words: string, length: number) =>
  words
    .repeat(Math.ceil(length / words.length))
    .slice(0, length)
    .trim();
const texts = [
  'Exceptional panoramic waterfront residence with garden gypsum ',
  'Wgjpqy',
  'فيلا فاخرة على شاطئ البحر مع مسبح خاص وحديقة ',
];

const languages = ['en', 'ar', 'both'] as const;
const variants = (['classic', 'new', 'card'] as const).flatMap(design =>
  languages.map(language => ({ design, language })),
);

/** `collection` has the listings of the others, and a cover. */
const inCollection = ['sale-villa', 'rent-apartment', 'off-plan-apartment', 'rent-office', 'sale-land', 'holiday-home'];
const names = (await sampleNames()).filter(name => !inCollection.includes(name));

describe.each(variants)('in the $design design with the language $language', ({ design, language }) => {
  it('every field may have its maximum length', async () => {
    const pages = language === 'ar' ? 'auto' : 'fixed';
    const chosen = await withMaps({ design, language, cover: true, pages, gallery: 'full' });
    // Each field has each of the texts in one of the languages.
    const offset = languages.indexOf(language);
    const cases = [
      ...extremeListings((length, field) => repeated(texts[(field + offset) % texts.length] ?? '', length)),
    ];
    const prepared = cases.map(([name, listing], at): PreparedListing => {
      const photos = name.includes('without photos') ? 0 : [45, 0, 1][at % 3];
      const shapes = Array.from({ length: photos ?? 0 }, () => ({ widthPx: 1920, heightPx: 1280 }));
      const slots = chosen.arrange(shapes, 0, listing).map(({ slot }) => ({ slot, src: null }));
      const plans = at % 3 === 0 ? planSlots(shapes.slice(0, 3)).map(slot => ({ slot, src: drawing })) : [];
      return { listing, photos: slots, agentPhoto: null, plans, map: at % 2 === 0 ? drawing : undefined };
    });
    const assets = new Map([...chosen.assets, [drawing, await photo('#808080')]]);
    const fits = await page.layOut({ html: chosen.html(prepared), assets });
    const nameOf = (_: string, at: string) => `listing ${cases[Number(at)]?.[0]}`;
    expect(fits.map(({ field }) => field.replace(/^listing (\d+)/, nameOf))).toEqual([]);
    // The last promised page exists and is the last one.
    if (design !== 'card') expect(await page.pagesFrom(chosen.pagesOf(prepared))).toBe(1);
  });

  it('the samples have no fault', async () => {
    for (const name of names) {
      const sample = await samples.read(name);
      const chosen = await chooseDesign({ design, ...sample.request, language });
      const fits = await page.layOut(await layoutOf(sample, samples, chosen));
      expect(fits.map(({ field }) => `${name}: ${field}`)).toEqual([]);
    }
  });
});
