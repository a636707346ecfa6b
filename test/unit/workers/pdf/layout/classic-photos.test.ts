/** Which photos the classic page shows where, and their sizes: columns of the 12-column grid by lines of the 4.5 pt baseline. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arrange, linesMm, maxPhotos, spareLinesOf } from '../../../../../workers/pdf/layout/classic-photos.ts';
import type { PhotoShape } from '../../../../../workers/pdf/layout/photo-slot.ts';
import { Listing } from '../../../../../workers/pdf/listing.ts';

const shapes: Record<string, PhotoShape> = {
  L: { widthPx: 1920, heightPx: 1280 },
  P: { widthPx: 1280, heightPx: 1920 },
  Q: { widthPx: 1280, heightPx: 1280 },
  s: { widthPx: 499, heightPx: 300 },
};
const columnMm = 15.5;
const gutterMm = 4;
const rounded = (value: number) => Math.round(value * 10) / 10;

const textWidthMm = 12 * columnMm - gutterMm;
const plain = Listing.parse({ reference_number: 'R-1', title_en: 'Home' });

/** "LLP" is two landscapes and a portrait; "Q" is square; "s" is too small for a hero. */
const photosOf = (letters: string) => [...letters].map(letter => shapes[letter] ?? { widthPx: 0, heightPx: 0 });

function arranged(letters: string, fields: object = {}, missing = 0) {
  const listing = Listing.parse({ reference_number: 'R-1', title_en: 'Home', ...fields });
  return arrange(photosOf(letters), missing, listing).map(({ slot }) => ({
    ...slot,
    size: `${rounded((slot.widthMm + gutterMm) / columnMm)}x${rounded(slot.heightMm / linesMm(1))}`,
  }));
}
const sizesOf = (...given: Parameters<typeof arranged>) => arranged(...given).map(({ size }) => size);

/** "hero 0 | strip 1 2": the photo in each slot, band by band; "-" is the placeholder. */
function outline(letters: string, missing = 0): string {
  const bands = new Map<string, string[]>();
  for (const { slot, photo } of arrange(photosOf(letters), missing, plain)) {
    const band = slot.name.replace(/-\d+$/, '');
    bands.set(band, [...(bands.get(band) ?? []), photo === null ? '-' : String(photo)]);
  }
  return [...bands].map(([band, photos]) => `${band} ${photos.join(' ')}`).join(' | ');
}

describe('the photos of a classic page', () => {
  it.each([
    ['', 0, ''],
    ['L', 0, 'hero 0'],
    ['LL', 0, 'hero 0 | strip 1'],
    ['LLL', 0, 'hero 0 1 2'],
    ['LLLL', 0, 'hero 0 | strip 1 2 3'],
    ['LLLLL', 0, 'hero 0 | strip 1 2 3 4'],
    ['LLLLLL', 0, 'hero 0 | strip 1 2 3 4 5'],
    ['LLLLLLLLL', 0, 'hero 0 | strip 1 2 3 4 5'],
  ])('are arranged by their number: "%s"', (letters, missing, expected) => {
    expect(outline(letters, missing)).toBe(expected);
  });

  it.each([
    ['P', 'hero 0'],
    ['PL', 'hero 1 0'],
    ['LPL', 'hero 0 1 | strip 2'],
    ['PPP', 'hero 0 1 2'],
    ['PPLLL', 'hero 2 | strip 3 4 0 1'],
    ['LLPLPL', 'hero 0 | strip 1 3 2 4'],
    ['LPPPPP', 'hero 0 | strip 1 2 3 4 5'],
    ['PPPPPP', 'hero 0 1 2 | strip 3 4 5'],
  ])('get portrait slots for portraits and start with a landscape: "%s"', (letters, expected) => {
    expect(outline(letters)).toBe(expected);
  });

  it.each([
    ['', 'hero -'],
    ['L', 'hero 0 | strip -'],
    ['LL', 'hero 0 1 -'],
    ['LLLLL', 'hero 0 | strip 1 2 3 4 -'],
    ['LLLLLL', 'hero 0 | strip 1 2 3 4 5'],
    ['LPPP', 'hero 0 | strip - 1 2 3'],
  ])('have at most one placeholder: "%s" and four missing photos', (letters, expected) => {
    expect(outline(letters, 4)).toBe(expected);
  });

  it.each([
    ['sL', 'hero 1 | strip 0'],
    ['s', 'strip 0'],
    ['sssssss', 'strip 0 1 2 3 4'],
  ])('narrower than 500 px are never the hero: "%s"', (letters, expected) => {
    expect(outline(letters)).toBe(expected);
  });

  const anyPhotos = fc.array(fc.constantFrom('L', 'P', 's'), { maxLength: 12 }).map(letters => letters.join(''));

  it('are shown once each, with at most one placeholder and at most maxPhotos in all', () => {
    fc.assert(
      fc.property(anyPhotos, fc.nat(5), (letters, missing) => {
        const shown = arrange(photosOf(letters), missing, plain).map(({ photo }) => photo);
        expect(new Set(shown).size).toBe(shown.length);
        expect(shown.length).toBeLessThanOrEqual(maxPhotos);
        if (missing === 0) expect(shown).not.toContain(null);
      }),
    );
  });

  it('fill a strip from margin to margin', () => {
    fc.assert(
      fc.property(anyPhotos, letters => {
        const strip = arrange(photosOf(letters), 0, plain).filter(({ slot }) => slot.name.startsWith('strip'));
        if (strip.length < 2) return;
        const width = strip.reduce((sum, { slot }) => sum + slot.widthMm + gutterMm, -gutterMm);
        expect(width).toBeCloseTo(textWidthMm, 6);
        expect(new Set(strip.map(({ slot }) => slot.heightMm)).size).toBe(1);
      }),
    );
  });
});

describe('photos on the grid', () => {
  it.each([
    ['L', '12x82'],
    ['P', '12x82'],
    ['LL', '12x82 5x26'],
    ['LP', '8x70 4x70'],
    ['PP', '6x82 6x82'],
    ['LLL', '8x70 4x33.7 4x33.7'],
    ['LLP', '8x70 4x70 5x26'],
    ['PPP', '4x64 4x64 4x64'],
    ['LLLL', '12x82 4x20 4x20 4x20'],
    ['LLLP', '12x82 5x24 5x24 2x24'],
    ['LLPP', '12x82 6x28 3x28 3x28'],
    ['LPPP', '12x82 4x28 4x28 4x28'],
    ['PPPP', '3x54 3x54 3x54 3x54'],
    ['LLLLL', '12x82 3x18 3x18 3x18 3x18'],
    ['LLLLP', '12x82 4x22 3x22 3x22 2x22'],
    ['LLLPP', '12x82 4x24 4x24 2x24 2x24'],
    ['LLPPP', '12x82 6x24 2x24 2x24 2x24'],
    ['LPPPP', '12x82 3x28 3x28 3x28 3x28'],
    ['PPPPP', '4x64 4x64 4x64 6x24 6x24'],
    ['LLLLLL', '12x82 2.4x16 2.4x16 2.4x16 2.4x16 2.4x16'],
    ['LLLLLP', '12x82 2.6x16 2.6x16 2.6x16 2.6x16 1.4x16'],
    ['LLLLPP', '12x82 4x24 4x24 2x24 2x24'],
    ['LLLPPP', '12x82 3x20 3x20 2x20 2x20 2x20'],
    ['LLPPPP', '12x82 4x24 2x24 2x24 2x24 2x24'],
    ['LPPPPP', '12x82 2.4x24 2.4x24 2.4x24 2.4x24 2.4x24'],
    ['PPPPPP', '4x64 4x64 4x64 4x28 4x28 4x28'],
    ['s', '5x26'],
    ['ssss', '3x18 3x18 3x18 3x18'],
    ['PPPs', '4x64 4x64 4x64 5x26'],
    ['PPPPs', '4x64 4x64 4x64 6x24 6x24'],
    ['QP', '8x70 4x70'],
    ['QQ', '12x82 5x26'],
  ])('%s: %s', (letters, sizes) => expect(sizesOf(letters).join(' ')).toBe(sizes));

  it('have names by their place, and are cropped to their most salient part', () => {
    expect(arranged('LLL').map(({ name, crop }) => [name, crop])).toEqual([
      ['hero-1', 'attention'],
      ['hero-2', 'attention'],
      ['hero-3', 'attention'],
    ]);
    expect(arranged('LL').map(({ name }) => name)).toEqual(['hero-1', 'strip-1']);
  });

  it('of 500 px and more may be across the page', () => {
    const wide = { widthPx: 500, heightPx: 300 };
    expect(arrange([wide], 0, plain).map(({ slot }) => slot.name)).toEqual(['hero-1']);
  });

  it('have a placeholder across the page only when none could be fetched', () => {
    expect(sizesOf('', {}, 3)).toEqual(['12x82']);
    expect(sizesOf('s', {}, 3)).toEqual(['6x24', '6x24']);
  });
});

describe('the height of the photo across the page', () => {
  const paragraph = (lines: number) => 'x'.repeat(68 * lines);

  it.each([
    [9, 82],
    [10, 76],
    [11, 76],
    [12, 70],
    [15, 64],
    [17, 58],
    [40, 58],
  ])('shrinks with the story: %i lines leave %i', (lines, height) => {
    expect(sizesOf('L', { description_en: paragraph(lines) })).toEqual([`12x${height}`]);
  });

  it.each<[string, object, number]>([
    ['a line that is begun counts', { description_en: `${paragraph(9)}x` }, 76],
    ['a heading counts as a line', { description_en: `Rooms:\n${paragraph(8)}` }, 82],
    ['a heading and more lines', { description_en: `Rooms:\n${paragraph(9)}` }, 76],
    ['a heading and two paragraphs', { description_en: `Rooms:\n${paragraph(7)}\n\nx` }, 76],
    ['each paragraph has a gap', { description_en: Array.from({ length: 7 }, () => 'x').join('\n\n') }, 82],
    ['more paragraphs', { description_en: Array.from({ length: 8 }, () => 'x').join('\n\n') }, 76],
    ['lists have two columns', { description_en: Array.from({ length: 18 }, () => '- x').join('\n') }, 82],
    ['longer lists', { description_en: Array.from({ length: 19 }, () => '- x').join('\n') }, 76],
    [
      'long items take two lines',
      { description_en: Array.from({ length: 9 }, () => `- ${'x'.repeat(35)}`).join('\n') },
      82,
    ],
    ['more long items', { description_en: Array.from({ length: 10 }, () => `- ${'x'.repeat(35)}`).join('\n') }, 76],
  ])('%s', (_, fields, height) => expect(sizesOf('L', fields)).toEqual([`12x${height}`]));

  const amenities = (count: number) => Array.from({ length: count }, (_, at) => `Amenity ${at}`).join();
  it.each<[string, object, number]>([
    ['18 amenities in two columns', { amenities: amenities(18) }, 82],
    ['19 amenities', { amenities: amenities(19) }, 76],
    ['amenities and details', { amenities: amenities(18), views: 'Sea', current_status: 'Vacant' }, 76],
    ['a story that is longer than the amenities', { amenities: amenities(18), description_en: paragraph(12) }, 70],
  ])('shrinks with the amenities and details: %s', (_, fields, height) => {
    expect(sizesOf('L', fields)).toEqual([`12x${height}`]);
  });

  it('shrinks with the amenities below a single photo beside the story', () => {
    expect(sizesOf('L', { amenities: amenities(12) })[0]).toBe('12x82');
    expect(sizesOf('LL', { amenities: amenities(12) })[0]).toBe('12x64');
  });

  it('shrinks with a strip of photos, but not with a single photo beside the story', () => {
    const story = { description_en: paragraph(9) };
    expect(sizesOf('LL', story)[0]).toBe('12x82');
    expect(sizesOf('LLLL', story)[0]).toBe('12x58');
    expect(sizesOf('LLLL', { description_en: paragraph(2) })[0]).toBe('12x76');
  });

  it.each([
    [18, 64],
    [20, 64],
    [22, 76],
  ])('leaves space for a location beside %i amenities if %i lines remain, else takes it', (count, height) => {
    expect(sizesOf('L', { amenities: amenities(count), geopoints: '25.1,55.2' })).toEqual([`12x${height}`]);
  });

  it('does not shrink for a detail that is shown elsewhere', () => {
    expect(sizesOf('LPPP', { property_type: 'Villa' })[0]).toBe('12x82');
    expect(sizesOf('LPPP', { property_type: 'Villa', views: 'Sea' })[0]).toBe('12x70');
  });

  it('is lower beside other photos', () => {
    const story = { description_en: paragraph(15) };
    expect([sizesOf('LP', story), sizesOf('LLL', story), sizesOf('PPP', { description_en: paragraph(20) })]).toEqual([
      ['8x64', '4x64'],
      ['8x64', '4x30.7', '4x30.7'],
      ['4x58', '4x58', '4x58'],
    ]);
  });
});

describe('the lines beside the words that are left for a location', () => {
  const page = { heroMm: linesMm(58), stripMm: 0, hasSidePhoto: false, amenities: 0, details: 0 };

  it.each<[string, Partial<typeof page>, number]>([
    ['only a photo across the page', {}, 57],
    ['no photo', { heroMm: 0 }, 115],
    ['a strip and its gap', { stripMm: linesMm(20) }, 35],
    ['a photo beside the story', { hasSidePhoto: true }, 29],
    ['amenities in two columns', { amenities: 5 }, 41],
    ['details', { details: 2 }, 44],
    ['amenities and details', { amenities: 6, details: 2 }, 35],
  ])('of a page with %s', (_, change, lines) => expect(spareLinesOf({ ...page, ...change })).toBe(lines));
});
