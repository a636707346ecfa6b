import { describe, expect, it } from 'vitest';
import type { PhotoShape } from '../../../../../workers/pdf/layout/design.ts';
import { newDesign } from '../../../../../workers/pdf/layout/new-design.ts';
import { chooseGallery, galleryHolding } from '../../../../../workers/pdf/layout/new-gallery.ts';
import { roomForGalleryMm } from '../../../../../workers/pdf/layout/new-room.ts';
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

describe('the new design’s composition', () => {
  it.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 60])(
    'shows as many of %i photos as it has places for, each once',
    count => {
      const shown = placed(times(count, landscape)).flatMap(([, photo]) => photo ?? []);
      expect(shown).toHaveLength(Math.min(count, newDesign.maxPhotos));
      expect(new Set(shown).size).toBe(shown.length);
    },
  );

  it.each([0, 3, 9])('opens with the brand’s panel when none of %i photos could be had', missing => {
    expect(placed([], missing)).toEqual([['hero-panel', null]]);
  });

  it.each([
    ['the first landscape', [landscape, landscape], [['hero-full', 0]]],
    ['a landscape before an earlier portrait', [portrait, landscape], [['hero-full', 1]]],
    ['an ordinary photo before a panorama', [panorama, landscape], [['hero-full', 1]]],
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
  ])('opens with %s', (_, photos, hero) => {
    expect(placed(photos).slice(0, hero.length)).toEqual(hero);
  });

  it.each([1, 2, 5])('shows one placeholder in the gallery for %i missing photos', missing => {
    const holes = placed(times(4, landscape), missing).filter(([, photo]) => photo === null);
    expect(holes).toHaveLength(1);
  });

  it('gives a portrait a place that is taller than wide', () => {
    const arranged = newDesign.arrange(
      [landscape, landscape, portrait, landscape, landscape, landscape],
      0,
      plain,
    );
    const slot = arranged.find(({ photo }) => photo === 2)?.slot;
    expect(slot?.heightMm).toBeGreaterThan(slot?.widthMm ?? Number.POSITIVE_INFINITY);
  });

  it('gives a panorama the widest place', () => {
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
        expect(galleryHolding(slot.name)).toBe(choice?.gallery);
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

  it('leaves the file page room for story and details', () => {
    for (const mix of mixes) expect(chooseGallery(mix, 0)?.gallery.heightMm).toBeLessThanOrEqual(135);
  });

  it.each([110, 130, 160, 200])(
    'keeps to the %i mm it has, and leaves less than half of them empty',
    room => {
      for (const mix of mixes) {
        const made = chooseGallery(mix, room)?.gallery.heightMm ?? 0;
        expect(made).toBeLessThanOrEqual(room);
        expect(made).toBeGreaterThan(room / 2);
      }
    },
  );
});

describe('the room for the gallery', () => {
  const short = 'A corner apartment on a high floor.';

  it('is greatest where there are few words, and shrinks with story, amenities and details', () => {
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
    const most = roomForGalleryMm({ ...plain, description_en: short });
    expect(roomForGalleryMm(plain)).toBe(most);
    for (const listing of [wordy, detailed, equipped]) expect(roomForGalleryMm(listing)).toBeLessThan(most);
  });
});
