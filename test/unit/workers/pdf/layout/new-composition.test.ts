import { describe, expect, it } from 'vitest';
import type { PhotoShape } from '../../../../../workers/pdf/layout/design.ts';
import { galleryBudgetMm, newDesign } from '../../../../../workers/pdf/layout/new-design.ts';
import { chooseGallery, galleryOfSlot } from '../../../../../workers/pdf/layout/new-gallery.ts';
import { Listing } from '../../../../../workers/pdf/listing.ts';

const plain = Listing.parse({ reference_number: 'R-1', title_en: 'Home' });
const landscape: PhotoShape = { widthPx: 1920, heightPx: 1280 };
const portrait: PhotoShape = { widthPx: 1280, heightPx: 1920 };
const panorama: PhotoShape = { widthPx: 3000, heightPx: 1000 };
const small: PhotoShape = { widthPx: 420, heightPx: 280 };
const times = (count: number, shape: PhotoShape) => Array.from({ length: count }, () => shape);

/** Slot names and the photos in them. */
const placed = (photos: PhotoShape[], missing = 0) =>
  newDesign.arrange(photos, missing, plain).map(({ slot, photo }) => [slot.name, photo] as const);

describe('the photos of the new design', () => {
  it.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 60])('are shown once each, up to maxPhotos: %i', count => {
    const shown = placed(times(count, landscape)).flatMap(([, photo]) => photo ?? []);
    expect(shown).toHaveLength(Math.min(count, newDesign.maxPhotos));
    expect(new Set(shown).size).toBe(shown.length);
  });

  it.each([0, 3, 9])('start with a panel when all of %i photos are missing', missing => {
    expect(placed([], missing)).toEqual([['hero-panel', null]]);
  });

  it.each([
    ['the first landscape', [landscape, landscape], [['hero-full', 0]]],
    ['a landscape before an earlier portrait', [portrait, landscape], [['hero-full', 1]]],
    ['a landscape before a panorama', [panorama, landscape], [['hero-full', 1]]],
    ['a portrait beside a panel', [portrait], [['hero-half', 0]]],
    [
      'two portraits side by side',
      [portrait, portrait, portrait],
      [
        ['hero-pair-a', 0],
        ['hero-pair-b', 1],
      ],
    ],
    ['a large photo before a small one', [small, landscape], [['hero-full', 1]]],
    ['no photo narrower than 500 px', [small, small], [['hero-panel', null]]],
  ])('start with %s', (_, photos, hero) => {
    expect(placed(photos).slice(0, hero.length)).toEqual(hero);
  });

  it.each([1, 2, 5])('have one placeholder in the gallery for %i missing photos', missing => {
    const placeholders = placed(times(4, landscape), missing).filter(([, photo]) => photo === null);
    expect(placeholders).toHaveLength(1);
  });

  it('include a portrait in a portrait slot', () => {
    const arranged = newDesign.arrange([landscape, landscape, portrait, landscape, landscape, landscape], 0, plain);
    const slot = arranged.find(({ photo }) => photo === 2)?.slot;
    expect(slot?.heightMm).toBeGreaterThan(slot?.widthMm ?? Number.POSITIVE_INFINITY);
  });

  it('include a panorama in the widest slot', () => {
    const arranged = newDesign.arrange([landscape, landscape, panorama, landscape], 0, plain);
    const slot = arranged.find(({ photo }) => photo === 2)?.slot;
    expect(slot?.widthMm).toBe(210);
  });
});

describe('a gallery', () => {
  const shapes = [landscape, portrait, panorama];
  const mixes = Array.from({ length: 9 }, (_, count) =>
    shapes.flatMap(shape => [
      times(count + 1, shape),
      Array.from({ length: count + 1 }, (_, at) => (at % 2 === 0 ? shape : landscape)),
    ]),
  ).flat();

  it.each(mixes.map(mix => [mix.length, mix] as const))(
    'of %i photos covers its rectangle without overlap',
    (_, mix) => {
      const choice = chooseGallery(mix, 0);
      const places = choice?.gallery.places ?? [];
      expect([...(choice?.photos ?? [])].sort()).toEqual([...mix.keys()]);
      const area = (choice?.gallery.heightMm ?? 0) * 210;
      const covered = places.reduce((sum, { slot }) => sum + (slot.widthMm + 1.2) * (slot.heightMm + 1.2), 0);
      expect(covered / ((area / 210 + 1.2) * 211.2)).toBeCloseTo(1, 2);
      for (const { slot, leftMm, topMm } of places) {
        expect(leftMm + slot.widthMm).toBeLessThanOrEqual(210.02);
        expect(topMm + slot.heightMm).toBeLessThanOrEqual((choice?.gallery.heightMm ?? 0) + 0.02);
        expect(galleryOfSlot(slot.name)).toBe(choice?.gallery);
      }
      for (const [at, one] of places.entries()) {
        for (const other of places.slice(at + 1)) {
          const apart =
            one.leftMm + one.slot.widthMm < other.leftMm ||
            other.leftMm + other.slot.widthMm < one.leftMm ||
            one.topMm + one.slot.heightMm < other.topMm ||
            other.topMm + other.slot.heightMm < one.topMm;
          expect(apart).toBe(true);
        }
      }
    },
  );

  it('is low enough for story and details on page two', () => {
    for (const mix of mixes) expect(chooseGallery(mix, 0)?.gallery.heightMm).toBeLessThanOrEqual(135);
  });

  it.each([110, 130, 160, 200])('is between half of %i mm and that height', availableMm => {
    for (const mix of mixes) {
      const made = chooseGallery(mix, availableMm)?.gallery.heightMm ?? 0;
      expect(made).toBeLessThanOrEqual(availableMm);
      expect(made).toBeGreaterThan(availableMm / 2);
    }
  });
});

describe('the layout budget of the gallery', () => {
  const short = 'A corner apartment on a high floor.';

  it('shrinks with the length of story, amenities and details', () => {
    const wordy = { ...plain, description_en: short.repeat(60) };
    const detailed = {
      ...plain,
      views: 'Sea',
      furnished: 'Yes',
      current_status: 'Vacant',
      completion_status: 'Ready',
    };
    const equipped = {
      ...plain,
      amenities: Array.from({ length: 40 }, (_, at) => `Amenity ${at}`).join(','),
    };
    const most = galleryBudgetMm({ ...plain, description_en: short });
    expect(galleryBudgetMm(plain)).toBe(most);
    for (const listing of [wordy, detailed, equipped]) expect(galleryBudgetMm(listing)).toBeLessThan(most);
  });
});
