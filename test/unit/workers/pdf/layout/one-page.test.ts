/** Listings of the new design on one page, with `"pages": "auto"`. */
import { describe, expect, it } from 'vitest';
import type { Design, DesignOptions } from '../../../../../workers/pdf/layout/design.ts';
import { loadDesigns } from '../../../../../workers/pdf/layout/designs.ts';
import type { PhotoShape } from '../../../../../workers/pdf/layout/photo-slot.ts';
import { Listing } from '../../../../../workers/pdf/listing.ts';

const designs = await loadDesigns();
const landscape: PhotoShape = { widthPx: 1_920, heightPx: 1_280 };
const portrait: PhotoShape = { widthPx: 1_280, heightPx: 1_920 };
const panorama: PhotoShape = { widthPx: 4_000, heightPx: 800 };
const few = { price: '1200000', property_type: 'Villa', description_en: 'A quiet street.', amenities: 'Pool, Gym' };

function prepared(design: Design, fields: object, photos: readonly PhotoShape[], missing = 0) {
  const listing = Listing.parse({ reference_number: 'R-1', title_en: 'Home', ...fields });
  const placed = design.arrange(photos, missing, listing);
  const srcOf = (photo: number | null) => (photo === null ? null : `photo-${photo}`);
  return { listing, photos: placed.map(({ slot, photo }) => ({ slot, src: srcOf(photo) })), agentPhoto: null };
}
const designWith = (options: Partial<DesignOptions> = {}) =>
  designs.new.with({ language: 'en', cover: false, pages: 'auto', ...options });

describe('the number of pages of a listing', () => {
  const long = 'A quiet street in a garden. '.repeat(40);
  it.each<[string, object, PhotoShape[], number]>([
    ['one photo and few words', few, [landscape], 1],
    ['no photo and few words', few, [], 1],
    ['only a title', {}, [], 1],
    ['two photos', few, [landscape, landscape], 2],
    ['a portrait', few, [portrait], 2],
    ['a panorama', few, [panorama], 2],
    ['a photo that is too small for a hero', few, [{ widthPx: 300, heightPx: 200 }], 2],
    ['a long description', { ...few, description_en: long }, [landscape], 2],
    ['many amenities', { ...few, amenities: Array.from({ length: 24 }, (_, at) => `A ${at}`).join() }, [landscape], 2],
    ['a location', { ...few, geopoints: '25.1190,55.1310' }, [landscape], 2],
  ])('with %s', (_, fields, photos, pages) => {
    const design = designWith();
    expect(design.pagesOf([prepared(design, fields, photos)])).toBe(pages);
    for (const fixed of [designs.new, designWith({ pages: 'fixed' }), designWith({ language: 'both' })])
      expect(fixed.pagesOf([prepared(fixed, fields, photos)])).toBe(2);
  });

  it.each([
    [1, 1],
    [2, 2],
  ])('with %i missing photos', (missing, pages) => {
    const design = designWith();
    expect(design.pagesOf([prepared(design, few, [], missing)])).toBe(pages);
  });

  it('is always one in the classic design', () => {
    const classic = designs.classic.with({ language: 'en', cover: false, pages: 'auto' });
    expect(classic.pagesOf([prepared(classic, few, [landscape])])).toBe(1);
  });
});

describe('a document with listings of one page and of two', () => {
  const design = designWith({ cover: { for: 'A', note: '' } });
  const plans = [{ slot: { widthMm: 100, heightMm: 80 }, src: 'plan' }];
  const listings = [
    prepared(design, few, [landscape]),
    { ...prepared(design, few, [landscape]), plans },
    prepared(design, few, [landscape, landscape]),
    prepared(design, few, []),
  ];
  const html = design.html(listings).replace(/<style>[\s\S]*?<\/style>/, '');

  it('has the page of each in the table of contents', () => {
    const pages = [...html.matchAll(/class="cover-page">(\d+)</g)].map(([, page]) => Number(page));
    expect(pages).toEqual([2, 3, 5, 7]);
  });

  it('numbers all pages', () => {
    expect(design.pagesOf(listings)).toBe(7);
    expect([...html.matchAll(/>(\d) \/ 7</g)].map(([, page]) => Number(page))).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it('has as many pages as its parts', () => {
    const parts = [0, 1, 2, 3].map(from => design.pagesOf(listings, { from, to: from + 1 }));
    expect(parts).toEqual([2, 2, 2, 1]);
  });

  it('has details, permit, link and disclaimer of each listing once', () => {
    expect(html.match(/class="page /g)).toHaveLength(5);
    for (const part of ['class="ledger"', 'class="disclaimer"', 'class="details"', 'class="amenities"'])
      expect(html.match(new RegExp(part, 'g')), part).toHaveLength(4);
  });
});

it('a permit is once on a single page', () => {
  const design = designWith();
  const html = design.html([prepared(design, { ...few, permit_number: '7116777484' }, [landscape])]);
  expect(html.match(/data-fit="permit_number"/g)).toHaveLength(1);
});
