import { describe, expect, it } from 'vitest';
import { newDesign } from '../../../../../workers/pdf/layout/new-design.ts';
import { chooseGallery, galleryOfSlot } from '../../../../../workers/pdf/layout/new-gallery.ts';
import { galleryBudgetMm } from '../../../../../workers/pdf/layout/new-words.ts';
import type { PhotoShape } from '../../../../../workers/pdf/layout/photo-slot.ts';
import { Listing } from '../../../../../workers/pdf/listing.ts';

const plain = Listing.parse({ reference_number: 'R-1', title_en: 'Home' });
const landscape: PhotoShape = { widthPx: 1920, heightPx: 1280 };
const portrait: PhotoShape = { widthPx: 1280, heightPx: 1920 };
const panorama: PhotoShape = { widthPx: 3000, heightPx: 1000 };
const square: PhotoShape = { widthPx: 1280, heightPx: 1280 };
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
    ['a photo of 500 px above a panel', [{ widthPx: 500, heightPx: 300 }], [['hero-band', 0]]],
    ['a large photo before an earlier one of 800 px', [{ widthPx: 800, heightPx: 600 }, landscape], [['hero-full', 1]]],
    ['a panorama above a panel', [panorama], [['hero-band', 0]]],
    ['a panorama before an earlier portrait', [portrait, panorama], [['hero-band', 1]]],
    ['a landscape before an earlier square', [square, landscape], [['hero-full', 1]]],
    ['the narrowest landscape before a square', [square, { widthPx: 1150, heightPx: 1000 }], [['hero-full', 1]]],
    ['the widest landscape before a square', [square, { widthPx: 2200, heightPx: 1000 }], [['hero-full', 1]]],
    ['a square before an earlier panorama', [panorama, square], [['hero-full', 1]]],
    ['a photo that is nearly square', [{ widthPx: 950, heightPx: 1000 }], [['hero-full', 0]]],
    ['a photo that is no longer square', [{ widthPx: 949, heightPx: 1000 }], [['hero-half', 0]]],
  ])('start with %s', (_, photos, hero) => {
    expect(placed(photos).slice(0, hero.length)).toEqual(hero);
  });

  it.each([1, 2, 5])('have one placeholder in the gallery for %i missing photos', missing => {
    const placeholders = placed(times(4, landscape), missing).filter(([, photo]) => photo === null);
    expect(placeholders).toHaveLength(1);
  });

  it('have no placeholder when the fetched photos fill the pages', () => {
    expect(placed(times(12, landscape), 2)).toEqual(placed(times(12, landscape)));
  });

  it('leave a missing photo the place of a landscape', () => {
    const slots = (...given: Parameters<typeof placed>) => placed(...given).map(([name]) => name);
    expect(slots(times(3, landscape), 1)).toEqual(slots(times(4, landscape)));
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

  it('of every mix of shapes covers its rectangle without overlap', () => {
    for (const mix of mixes) {
      const given = JSON.stringify(mix);
      const choice = chooseGallery(mix, 0);
      const places = choice?.gallery.places ?? [];
      expect([...(choice?.photos ?? [])].sort(), given).toEqual([...mix.keys()]);
      const area = (choice?.gallery.heightMm ?? 0) * 210;
      const covered = places.reduce((sum, { slot }) => sum + (slot.widthMm + 1.2) * (slot.heightMm + 1.2), 0);
      expect(covered / ((area / 210 + 1.2) * 211.2), given).toBeCloseTo(1, 2);
      for (const { slot, leftMm, topMm } of places) {
        expect(leftMm + slot.widthMm, given).toBeLessThanOrEqual(210.02);
        expect(topMm + slot.heightMm, given).toBeLessThanOrEqual((choice?.gallery.heightMm ?? 0) + 0.02);
        expect(galleryOfSlot(slot.name), given).toBe(choice?.gallery);
      }
      for (const [at, one] of places.entries()) {
        for (const other of places.slice(at + 1)) {
          const apart =
            one.leftMm + one.slot.widthMm < other.leftMm ||
            other.leftMm + other.slot.widthMm < one.leftMm ||
            one.topMm + one.slot.heightMm < other.topMm ||
            other.topMm + other.slot.heightMm < one.topMm;
          expect(apart, given).toBe(true);
        }
      }
    }
  });

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

describe('the compositions of the gallery', () => {
  /** The places of a composition in its own height. */
  const placesOf = (photos: number, variant: string) => galleryOfSlot(`gallery-${photos}${variant}-a`)?.places;

  it.each([
    [1, 'ab'],
    [2, 'abcde'],
    [3, 'abcdef'],
    [4, 'abcdef'],
    [5, 'abcd'],
    [6, 'abcd'],
    [7, 'ab'],
    [8, 'abc'],
    [9, 'a'],
  ])('for %i photos have a place for each, which is large enough', (photos, variants) => {
    expect(placesOf(photos, 'abcdefgh'.charAt(variants.length))).toBeUndefined();
    for (const variant of variants) {
      const places = placesOf(photos, variant) ?? [];
      expect(places.map(({ slot }) => slot.name)).toEqual(
        [...'abcdefghi'].slice(0, photos).map(letter => `gallery-${photos}${variant}-${letter}`),
      );
      for (const { slot } of places) {
        expect(slot.widthMm).toBeGreaterThan(33);
        expect(slot.heightMm).toBeGreaterThan(32);
      }
      const bottom = Math.max(...places.map(({ slot, topMm }) => topMm + slot.heightMm));
      const right = Math.max(...places.map(({ slot, leftMm }) => leftMm + slot.widthMm));
      const area = places.reduce((sum, { slot }) => sum + (slot.widthMm + 1.2) * (slot.heightMm + 1.2), 0);
      expect(right).toBeCloseTo(210, 1);
      expect(area / ((right + 1.2) * (bottom + 1.2))).toBeCloseTo(1, 2);
    }
  });

  it('crop narrow and very wide photos to their centre, others to their most salient part', () => {
    const cropOf = (name: string) =>
      galleryOfSlot(name)?.places.map(({ slot }) => [slot.widthMm, slot.heightMm, slot.crop]);
    expect(cropOf('gallery-1a-a')).toEqual([[210, 96, 'centre']]);
    expect(cropOf('gallery-2b-a')).toEqual([
      [139.6, 102, 'attention'],
      [69.2, 102, 'centre'],
    ]);
  });

  it('exist in fourteen heights', () => {
    const factors = [2, 1.85, 1.7, 1.6, 1.5, 1.4, 1.32, 1.25, 1.18, 1.12, 1.06, 1, 0.94, 0.88];
    const heights = factors.map(factor => galleryOfSlot(`gallery-2a${factor === 1 ? '' : `-${factor}`}-a`)?.heightMm);
    expect(heights).toEqual(factors.map(factor => expect.closeTo(84 * factor, 2)));
  });

  const mixed = (letters: string) =>
    [...letters].map(letter => (letter === 'L' ? landscape : letter === 'P' ? portrait : panorama));
  it.each([
    ['L', 150, '1a', [0]],
    ['L', 80, '1b', [0]],
    ['LL', 110, '2a', [0, 1]],
    ['LP', 110, '2b', [0, 1]],
    ['PL', 110, '2b', [1, 0]],
    ['LL', 200, '2d', [0, 1]],
    ['PPP', 100, '3f', [0, 1, 2]],
    ['LLLL', 150, '4a', [0, 1, 2, 3]],
    ['PPPP', 100, '4f', [0, 1, 2, 3]],
    ['LLLLL', 150, '5a', [0, 1, 2, 3, 4]],
    ['LLLLLL', 100, '6c', [0, 1, 2, 3, 4, 5]],
    ['LLLLLL', 150, '6a', [0, 1, 2, 3, 4, 5]],
    ['LLLLLLL', 150, '7a', [0, 1, 2, 3, 4, 5, 6]],
  ])('are chosen by the shapes of %s and the height of %i mm: %s', (letters, heightMm, composition, photos) => {
    const choice = chooseGallery(mixed(letters), heightMm);
    expect(choice?.gallery.places[0]?.slot.name.match(/gallery-(\d[a-h])/)?.[1]).toBe(composition);
    expect(choice?.photos).toEqual(photos);
  });

  const tiny: PhotoShape = { widthPx: 150, heightPx: 100 };
  it.each([
    ['empty pages', [landscape], 200, '1a-2'],
    ['cropped landscapes', [landscape], 60, '1b-0.94'],
    ['cropped panoramas', [panorama], 80, '1b-1.25'],
    ['empty pages below panoramas', [panorama], 150, '1a-1.5'],
    ['cropped portraits', [landscape, portrait], 110, '2b-1.06'],
    ['enlarged photos', [landscape, tiny], 150, '2a-0.88'],
    ['galleries that are too tall', [portrait, portrait], 60, '2b-0.88'],
    ['galleries that are much too tall', [landscape, portrait], 0, '2b-0.88'],
  ])('have a height that avoids %s', (_, photos, heightMm, composition) => {
    const [place] = chooseGallery(photos, heightMm)?.gallery.places ?? [];
    expect(place?.slot.name).toBe(`gallery-${composition}-a`);
  });

  it('do not depend on galleries that were chosen before', () => {
    const heightOf = (heightMm: number) => chooseGallery([landscape], heightMm)?.gallery.heightMm ?? 0;
    expect(heightOf(101.8)).toBeGreaterThan(101.7);
    expect(heightOf(101.7)).toBeLessThan(101.7);
  });

  it('exist for no other number of photos', () => {
    expect(chooseGallery([], 150)).toBeNull();
    expect(chooseGallery(times(10, landscape), 150)).toBeNull();
  });

  it('give small photos small places', () => {
    const choice = chooseGallery([tiny, landscape, landscape, landscape, landscape, landscape], 150);
    const at = choice?.photos.indexOf(0) ?? -1;
    const widths = choice?.gallery.places.map(({ slot }) => slot.widthMm) ?? [];
    expect(widths[at]).toBe(Math.min(...widths));
  });
});

describe('the layout budget of the gallery', () => {
  const short = 'A corner apartment on a high floor.';

  it('shrinks with the length of story, amenities and details', () => {
    const wordy = { ...plain, description_en: short.repeat(60) };
    const detailed = {
      ...wordy,
      description_en: short,
      views: 'Sea',
      furnished: 'Yes',
      current_status: 'Vacant',
      completion_status: 'Ready',
    };
    const equipped = {
      ...wordy,
      description_en: short,
      amenities: Array.from({ length: 40 }, (_, at) => `Amenity ${at}`).join(','),
    };
    const most = galleryBudgetMm({ ...plain, description_en: short });
    for (const listing of [wordy, detailed, equipped]) expect(galleryBudgetMm(listing)).toBeLessThan(most);
  });

  const lines = (count: number) => 'x'.repeat(64 * count);
  const amenities = (count: number) => Array.from({ length: count }, (_, at) => `Amenity ${at}`).join();
  const views = { views: 'Sea', current_status: 'Vacant', property_condition: 'New', property_type: 'Villa' };
  const geopoints = '25.1190,55.1310';
  // 224 mm less the longer column: headings and gaps of 7.95 mm, rows of 6.53 mm, lines of 4.7625 mm.
  it.each<[string, object, number]>([
    ['all of it when page one has the details', views, 224],
    ['one row of details', { description_en: lines(1) }, 224 - 7.95 - 6.53],
    ['five rows of details in two columns', { ...views, description_en: lines(1) }, 224 - 7.95 - 3 * 6.53],
    [
      'a story that ends on page one',
      { ...views, description_en: `${lines(5)}\n\n${lines(5)}` },
      224 - 7.95 - 3 * 6.53,
    ],
    ['a story', { description_en: lines(30) }, 224 - 20.5 * 4.7625],
    ['a story with a heading', { description_en: `Rooms:\n${lines(20)}` }, 224 - 11.5 * 4.7625],
    ['a list', { description_en: Array.from({ length: 30 }, () => '- x').join('\n') }, 224 - 20.5 * 4.7625],
    ['details below amenities on page one', { amenities: amenities(10) }, 224 - 7.95 - 6.53],
    ['amenities in two columns', { description_en: lines(1), amenities: amenities(10) }, 224 - 7.95 - 5 * 6.53],
    [
      'amenities under a story of medium length, beside the details',
      { ...views, description_en: lines(15), amenities: amenities(10) },
      224 - 5.5 * 4.7625 - 7.95 - (7.95 + 5 * 6.53),
    ],
    [
      'amenities above the details, beside a long story',
      { description_en: lines(30), amenities: amenities(10) },
      224 - 20.5 * 4.7625,
    ],
    [
      'amenities above the details, which are longer than the story',
      { ...views, description_en: lines(30), amenities: amenities(20) },
      224 - (7.95 + 10 * 6.53) - 7.95 - (7.95 + 5 * 6.53),
    ],
    ['a location beside few details', { geopoints }, 224 - 48],
    [
      'a location beside details in one column',
      { ...views, geopoints, description_en: lines(1), completion_status: 'Ready', property_managed_by_us: 'Yes' },
      224 - 7.95 - 7 * 6.53,
    ],
    ['a location below the details', { geopoints, description_en: lines(30) }, 224 - 20.5 * 4.7625],
    [
      'a location below the longer details',
      { ...views, geopoints, description_en: lines(20) },
      224 - (7.95 + 5 * 6.53) - 7.95 - 48,
    ],
    [
      'no space for a location',
      { geopoints, description_en: lines(30), amenities: amenities(16) },
      224 - 20.5 * 4.7625,
    ],
  ])('is what the words leave: %s', (_, fields, budgetMm) =>
    expect(galleryBudgetMm({ ...plain, ...fields })).toBeCloseTo(budgetMm, 6),
  );

  it('leaves the location a second line for the name of a long community', () => {
    const budgetIn = (community: string) => galleryBudgetMm({ ...plain, community, geopoints: '25.1190,55.1310' });
    expect(budgetIn('Palm Jumeirah') - budgetIn('Mohammed Bin Rashid City District One')).toBeCloseTo(4.7625);
    expect(budgetIn('x'.repeat(19))).toBe(budgetIn('Palm Jumeirah'));
    expect(budgetIn('x'.repeat(20))).toBe(budgetIn('Mohammed Bin Rashid City District One'));
    expect(budgetIn('Palm Jumeirah '.repeat(70))).toBe(budgetIn('Mohammed Bin Rashid City District One'));
  });
});
