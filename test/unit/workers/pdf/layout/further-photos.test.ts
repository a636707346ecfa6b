/** The pages with photos that the other pages of a listing have no place for. */
import { describe, expect, it } from 'vitest';
import { loadDesigns } from '../../../../../workers/pdf/layout/designs.ts';
import { furtherPageOf } from '../../../../../workers/pdf/layout/further-photos.ts';
import type { PhotoShape } from '../../../../../workers/pdf/layout/photo-slot.ts';
import { Listing } from '../../../../../workers/pdf/listing.ts';

const designs = await loadDesigns();
const listing = Listing.parse({ reference_number: 'R-1', title_en: 'Home' });
const landscape: PhotoShape = { widthPx: 1_920, heightPx: 1_280 };
const shapes: readonly PhotoShape[] = [
  landscape,
  { widthPx: 1_280, heightPx: 1_920 },
  { widthPx: 4_000, heightPx: 800 },
  { widthPx: 1_280, heightPx: 1_280 },
];
const landscapes = (count: number) => Array.from({ length: count }, () => landscape);
const mixed = (count: number) => Array.from({ length: count }, (_, at) => shapes[(at * 7) % 4] ?? landscape);

describe.each([
  ['new', 10, 2],
  ['classic', 6, 1],
] as const)('further photos of the %s design', (name, ownPhotos, ownPages) => {
  const design = designs[name].with({ language: 'en', cover: false, gallery: 'full' });
  const arrange = (photos: readonly PhotoShape[]) => design.arrange(photos, 0, listing);
  const prepared = (count: number) => {
    const photos = arrange(landscapes(count)).map(({ slot }, at) => ({ slot, src: `photo-${at}` }));
    return { listing, photos, agentPhoto: null };
  };

  it.each([0, 1, 5, 6, 7, 10, 11, 12, 13, 14, 20, 21, 36, 40])('print %i photos once each', count => {
    for (const photos of [landscapes(count), mixed(count)]) {
      const printed = arrange(photos).flatMap(({ photo }) => photo ?? []);
      expect([...printed].sort((a, b) => a - b)).toEqual([...photos.keys()].slice(0, design.maxPhotos));
    }
  });

  it('need no page, one or two, with at least four photos on each', () => {
    for (let count = 0; count <= 45; count += 1) {
      const further = arrange(landscapes(count)).flatMap(({ slot }) => furtherPageOf(slot.name) ?? []);
      const pages = [0, 1].map(page => further.filter(of => of === page).length).filter(photos => photos > 0);
      expect(pages).toHaveLength(count <= ownPhotos ? 0 : count <= ownPhotos + 10 ? 1 : 2);
      for (const photos of pages) expect(photos).toBeGreaterThanOrEqual(4);
      expect(design.pagesOf([prepared(count)])).toBe(ownPages + pages.length);
    }
    expect(design.maxPhotos).toBe(ownPhotos + 30);
  });

  it('are in rows from margin to margin, which fill the height of the page', () => {
    for (const make of [landscapes, mixed]) {
      for (let count = ownPhotos + 1; count <= ownPhotos + 30; count += 1) {
        const slots = arrange(make(count)).map(({ slot }) => slot);
        for (const page of [0, 1]) {
          const rows: number[][] = [];
          let [left, height] = [Number.POSITIVE_INFINITY, 0];
          for (const { widthMm, heightMm } of slots.filter(slot => furtherPageOf(slot.name) === page)) {
            if (left + widthMm > 182.01) {
              height += heightMm + (rows.length > 0 ? 4 : 0);
              left = 0;
              rows.push([]);
            }
            left += widthMm + 4;
            rows.at(-1)?.push(widthMm);
          }
          if (rows.length === 0) continue;
          for (const row of rows) expect(row.reduce((sum, mm) => sum + mm, 4 * (row.length - 1))).toBeCloseTo(182, 0);
          expect(height).toBeLessThanOrEqual(232);
          expect(height).toBeGreaterThan(150);
        }
      }
    }
  });

  it('are on pages after the others and before the floor plans, in the order of the page numbers', () => {
    const plans = [{ slot: { widthMm: 100, heightMm: 80 }, src: 'plan' }];
    const covered = design.with({ language: 'en', cover: { for: 'A', note: '' }, gallery: 'full' });
    const listings = [{ ...prepared(40), plans }, prepared(3), prepared(12)];
    const pages = 1 + ownPages + 3 + ownPages + ownPages + 1;
    expect(covered.pagesOf(listings)).toBe(pages);
    expect(covered.pagesOf(listings, { from: 0, to: 1 })).toBe(1 + ownPages + 3);
    expect(covered.pagesOf(listings, { from: 1, to: 3 })).toBe(2 * ownPages + 1);
    const html = covered.html(listings);
    const headings = html.match(/>(?:Photographs|Floor plans)</g);
    expect(headings).toEqual(['>Photographs<', '>Photographs<', '>Floor plans<', '>Photographs<']);
    expect([...html.matchAll(/class="cover-page">(\d+)</g)].map(([, page]) => Number(page))).toEqual([
      2,
      2 + ownPages + 3,
      2 + 2 * ownPages + 3,
    ]);
    const last = html.slice(html.lastIndexOf('class="plans-foot"'));
    expect(last).toContain(`${pages} / ${pages}<`);
  });

  it('are not printed, and not fetched, when they are not asked for', () => {
    expect(designs[name].maxPhotos).toBe(ownPhotos);
    expect(designs[name].arrange(landscapes(40), 0, listing)).toHaveLength(ownPhotos);
  });
});

it('images for sharing have none', () => {
  const cards = designs.card.with({ language: 'en', cover: false, gallery: 'full' });
  expect(cards.maxPhotos).toBe(designs.card.maxPhotos);
});
