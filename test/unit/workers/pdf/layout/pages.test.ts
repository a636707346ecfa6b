/** What the templates of both designs receive for a listing. */
import { describe, expect, it } from 'vitest';
import { classicDesign } from '../../../../../workers/pdf/layout/classic-design.ts';
import { english, labelsOf } from '../../../../../workers/pdf/layout/labels.ts';
import { newDesign } from '../../../../../workers/pdf/layout/new-design.ts';
import { galleryOfSlot } from '../../../../../workers/pdf/layout/new-gallery.ts';
import { type GivenView, listingViews } from '../../../../support/listing-view.ts';

const hero = [182, 91, 'hero-1'] as const;
const strip = (at: number) => [58, 32, `strip-${at}`] as const;

describe('the classic page', () => {
  const page = async (listing: object, photos: GivenView['photos'] = [hero], map = '') => {
    const [view] = await listingViews([{ listing, photos, ...(map !== '' && { map }) }]);
    return view && classicDesign.page(view, english);
  };

  it.each<[string, object, GivenView['photos'], string]>([
    ['everything', { description_en: 'A text.', amenities: 'Pool' }, [hero], ''],
    ['only what is required', {}, [], 'no-hero no-story no-aside'],
    ['a story', { description_en: 'A text.' }, [hero], 'no-aside'],
    ['amenities', { amenities: 'Pool' }, [hero], 'no-story'],
    ['details', { views: 'Sea' }, [hero], 'no-story'],
    ['a photo beside the story', {}, [hero, strip(1)], 'no-story'],
  ])('of a listing with %s has classes for absent parts', async (_, listing, photos, absentClasses) => {
    expect(await page(listing, photos)).toMatchObject({
      absentClasses,
      hasAside: !absentClasses.includes('no-aside'),
      hasBody: !(absentClasses.includes('no-aside') && absentClasses.includes('no-story')),
    });
  });

  it('has a square photo of the agent', () => {
    const sideMm = expect.closeTo(15.875, 6);
    expect(classicDesign.agentSlot).toEqual({ name: 'agent', widthMm: sideMm, heightMm: sideMm, crop: 'centre' });
  });

  describe('with coordinates', () => {
    const near = { geopoints: '25.1190,55.1310', community: 'Palm Jumeirah' };
    const amenities = (count: number) => Array.from({ length: count }, (_, at) => `Amenity ${at}`).join();
    const map = 'https://brochure.invalid/maps/1.png';

    it('has their distances even when nothing else is beside the story', async () => {
      const made = Object(await page(near));
      expect(made).toMatchObject({ hasAside: true, absentClasses: 'no-story', location: { map: null } });
      expect(made.location.rows).toHaveLength(5);
    });

    // A photo of 91 mm leaves 57 lines, one of 95.2 mm leaves 55; 3 for two amenities, 7 for their heading.
    it.each<[number, GivenView['photos'], number]>([
      [8, [hero], 5],
      [8, [hero, strip(1)], 0],
      [20, [hero], 4],
      [22, [hero], 3],
      [22, [[182, 93.6, 'hero-1']], 3],
      [22, [[182, 95.2, 'hero-1']], 0],
      [24, [hero], 0],
    ])('has as many rows as fit below %i amenities', async (count, photos, rows) => {
      const { location } = Object(await page({ ...near, amenities: amenities(count) }, photos));
      if (rows === 0) expect(location).toBeNull();
      else expect(location).toMatchObject({ map: null, rows: { length: rows } });
    });

    it.each([
      [0, true],
      [12, true],
      [13, false],
    ])('has the map where there is space for it below %i amenities: %s', async (count, isShown) => {
      const large = [182, 95.2, 'hero-1'] as const;
      const { location } = Object(await page({ ...near, amenities: amenities(count) }, [large], map));
      if (isShown) expect(location).toMatchObject({ map: { src: map } });
      else expect(location).toMatchObject({ map: null, rows: expect.any(Array) });
    });

    it('has nothing where there is no space for the map, far away from all landmarks', async () => {
      const far = { geopoints: '40.1,3.2', amenities: amenities(13) };
      expect(await page({ geopoints: far.geopoints }, [hero], map)).toMatchObject({ location: { map: { src: map } } });
      expect(await page(far, [[182, 95.2, 'hero-1']], map)).toMatchObject({ location: null });
    });
  });

  it('has one photo beside the story and several in a strip', async () => {
    const slots = (photos: unknown) => Array.from(Object(photos), ({ slot }) => slot);
    const one = Object(await page({}, [hero, strip(1)]));
    expect([slots(one.hero), slots(one.strip), slots(one.side)]).toEqual([['hero-1'], [], ['strip-1']]);
    const two = Object(await page({}, [hero, strip(1), strip(2)]));
    expect([slots(two.hero), slots(two.strip), slots(two.side)]).toEqual([['hero-1'], ['strip-1', 'strip-2'], []]);
  });

  it('has a head of the height of its photo, else of the lowest', async () => {
    expect(await page({})).toMatchObject({ heroMm: 91 });
    expect(await page({}, [])).toMatchObject({ heroMm: expect.closeTo(58 * 1.5875, 6) });
  });

  it.each([
    [{}, ''],
    [{ purpose: 'Sale', property_type: 'Villa', completion_status: 'Ready' }, 'For sale · Villa · Ready'],
    [{ purpose: 'Sale', property_type: 'Villa', completion_status: 'Off-plan' }, 'Off-plan · Villa'],
    [{ property_type: 'Villa' }, 'Villa'],
  ])('has a line above its title for %j: %j', async (listing, kicker) => {
    expect(await page(listing)).toMatchObject({ kicker });
  });

  it('repeats no details that are shown elsewhere', async () => {
    const listing = { property_type: 'Villa', completion_status: 'Ready', furnishing_type: 'Furnished', views: 'Sea' };
    expect(Object(await page(listing)).details).toMatchObject([{ field: 'views' }]);
  });

  it('has the direction of its place and of its story', async () => {
    expect(await page({ community: 'نخلة', description_en: 'فيلا.' })).toMatchObject({
      placeDir: 'rtl',
      storyDir: 'rtl',
    });
    expect(await page({ city: '' })).toMatchObject({ placeDir: 'ltr', storyDir: 'ltr' });
  });

  const map = 'https://www.google.com/maps/search/?api=1&query=25.1,55.2';
  const record = 'https://trakheesi.dubailand.gov.ae/record/SAMPLE1';
  it.each<[string, object, unknown]>([
    ['no permit and no map', {}, null],
    [
      'a permit',
      { permit_number: '71404938268', permit_url: record, geopoints: '25.1,55.2' },
      {
        label: 'Permit',
        text: '71404938268',
        note: 'Scan to open the official record',
        qr: expect.any(Object),
        url: record,
      },
    ],
    [
      'a map',
      { geopoints: '25.1,55.2', community: 'Marina' },
      { label: 'Location', text: 'Marina', url: map, note: 'Scan or tap to open the map', qr: expect.any(Object) },
    ],
    ['a map without a place', { geopoints: '25.1,55.2', city: '' }, { text: 'Map' }],
    [
      'a permit without a record, and a map: the code beside a permit must not open anything else',
      { permit_number: 'in process', geopoints: '25.1,55.2' },
      { label: 'Permit', text: 'in process', url: null, note: '', qr: null },
    ],
    ['a permit without a record', { permit_number: 'in process' }, { text: 'in process', qr: null, url: null }],
  ])('has in its footer the code of %s', async (_, listing, code) => {
    const made = Object(await page(listing)).code;
    if (code === null) expect(made).toBeNull();
    else expect(made).toMatchObject(Object(code));
  });
});

it('the new design has a template and a square photo of the agent', async () => {
  expect(newDesign.agentSlot).toEqual({ name: 'agent', widthMm: 22, heightMm: 22, crop: 'centre' });
  const folder = new URL('../../../../../templates/pdf/new/', import.meta.url);
  expect(await newDesign.source(folder)).toContain('{{#each listings}}');
});

describe('the pages of the new design', () => {
  const page = async (listing: object, photos: GivenView['photos'] = [], language: 'en' | 'ar' | 'both' = 'en') => {
    const [view] = await listingViews([{ listing, photos }], language);
    return Object(view && newDesign.page(view, labelsOf(language)));
  };
  const text = (count: number) => 'x'.repeat(count);

  it.each([
    ['hero-full', 'full'],
    ['hero-band', 'band'],
    ['hero-half', 'half'],
    ['hero-pair-a', 'pair'],
    ['hero-panel', 'panel'],
    ['gallery-1a-a', 'panel'],
  ])('begin by their first photo: %s', async (slot, kind) => {
    const made = await page({}, [[210, 171.45, slot]]);
    expect(made).toMatchObject({ hero: kind, heroIsPanel: kind === 'panel' });
    expect(made.opening).toHaveLength(slot === 'gallery-1a-a' ? 0 : 1);
  });

  it('have a gallery with the places of its photos', async () => {
    const slots = galleryOfSlot('gallery-2b-a')?.places.map(({ slot }) => slot) ?? [];
    const sizes = slots.map(({ widthMm, heightMm, name }) => [widthMm, heightMm, name] as const);
    expect(await page({}, [[210, 171.45, 'hero-full'], ...sizes])).toMatchObject({
      hasGallery: true,
      headMm: 102,
      gallery: [
        { slot: 'gallery-2b-a', src: 'photo-0-1', startMm: 0, topMm: 0 },
        { slot: 'gallery-2b-b', src: 'photo-0-2', startMm: 140.8, topMm: 0 },
      ],
    });
    expect(await page({})).toMatchObject({ hasGallery: false, gallery: [] });
  });

  const amenities = 'Pool, Gym';
  it.each<[object, object]>([
    [
      { description_en: 'A text.', amenities },
      { leadsWithStory: true, amenitiesOnPageOne: false, detailsOnPageOne: false, detailsOnPageTwo: true },
    ],
    [
      { amenities },
      {
        leadsWithStory: false,
        amenitiesOnPageOne: true,
        detailsOnPageOne: false,
        detailsOnPageTwo: true,
        amenitiesUnderStory: false,
        amenitiesBesideStory: false,
      },
    ],
    [{}, { leadsWithStory: false, amenitiesOnPageOne: false, detailsOnPageOne: true, detailsOnPageTwo: false }],
    [{ description_en: 'A text.' }, { amenitiesUnderStory: false, amenitiesBesideStory: false }],
  ])('begin with story, amenities or details: %j', async (listing, expected) => {
    expect(await page(listing)).toMatchObject(expected);
  });

  it('have the amenities under a short story and beside a long one', async () => {
    expect(await page({ description_en: text(64 * 5), amenities })).toMatchObject({
      amenitiesUnderStory: true,
      amenitiesBesideStory: false,
    });
    expect(await page({ description_en: text(64 * 40), amenities })).toMatchObject({
      amenitiesUnderStory: false,
      amenitiesBesideStory: true,
    });
  });

  it.each<[string, object, number]>([
    ['no words', {}, 171.45],
    ['a story on page one', { description_en: text(64 * 10) }, 120.65],
    ['a long story', { description_en: text(64 * 40) }, 77.79],
    ['a longer story', { description_en: text(64 * 41) }, 73.025],
    ['the longest story', { description_en: text(64 * 60) }, 60.325],
  ])('have a masthead of a height that depends on the words: %s', async (_, listing, headMm) => {
    expect(await page(listing)).toMatchObject({ headMm: expect.closeTo(headMm, 1) });
  });

  it('have no more room for amenities on page two when page one has them', async () => {
    const many = Array.from({ length: 40 }, (_, at) => `Amenity ${at}`).join();
    expect(await page({ amenities: many })).toMatchObject({ headMm: 120.65 });
  });

  const geopoints = '25.1190,55.1310';
  const hero = [210, 171.45, 'hero-full'] as const;
  const gallery = [210, 96, 'gallery-1a-a'] as const;
  const longer = { description_en: text(64 * 30), amenities: Array.from({ length: 16 }, (_, at) => `A ${at}`).join() };
  it.each<[string, object, GivenView['photos'], 'left' | 'right' | 'none', number]>([
    ['on the left without a story', { geopoints }, [hero], 'left', 120.65],
    ['below the details beside a story', { geopoints, description_en: text(64 * 30) }, [hero], 'right', 88.9],
    ['with a lower masthead', { geopoints, ...longer }, [hero], 'right', 84.14],
    ['not beside a gallery and many words', { geopoints, ...longer }, [hero, gallery], 'none', 96],
    ['beside a gallery and few words', { geopoints }, [hero, gallery], 'left', 96],
    ['not without coordinates', longer, [hero], 'none', 88.9],
  ])('have a location where there is space: %s', async (_, listing, photos, side, headMm) => {
    expect(await page(listing, photos)).toMatchObject({
      locationOnLeft: side === 'left',
      locationOnRight: side === 'right',
      headMm: expect.closeTo(headMm, 2),
    });
  });

  it('have the most specific place in the masthead, else the title', async () => {
    const place = { tower_name: 'Gate', community: 'Marina' };
    expect(await page(place)).toMatchObject({
      mastheadTitle: { text: 'Gate' },
      mastheadPlace: [{ text: 'Marina' }, { text: 'Dubai' }],
    });
    expect(await page({ city: '' })).toMatchObject({ mastheadTitle: { text: 'Home 0' }, mastheadPlace: [] });
  });

  it.each(['en', 'ar', 'both'] as const)('have no fact in the details, with labels in %s', async language => {
    const facts = { bedroom: '3', bathroom: '2', size: '1000', parking: '1', furnishing_type: 'Furnished' };
    const { details } = await page({ ...facts, views: 'Sea', description_en: 'A text.' }, [], language);
    expect(details).toMatchObject([{ field: 'reference_number' }, { field: 'views' }]);
  });

  it.each<[string, object, GivenView['photos'], boolean, boolean]>([
    ['few details', { description_en: 'A text.' }, [hero], true, true],
    ['rows beside amenities', { description_en: text(64 * 22), amenities }, [hero], true, false],
    ['no space', { description_en: text(64 * 45) }, [hero], false, false],
    ['a low gallery', { description_en: 'A text.' }, [hero, gallery], true, true],
    ['nothing but a masthead', {}, [], true, true],
  ])(
    'have the agent again below the words, which are large when few: %s',
    async (_, listing, photos, hasContact, isRoomy) => {
      expect(await page(listing, photos)).toMatchObject({ hasContact, isRoomy });
    },
  );
});
