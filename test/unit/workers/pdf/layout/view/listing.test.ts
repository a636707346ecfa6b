import { describe, expect, it } from 'vitest';
import { loadBrand } from '../../../../../../workers/pdf/layout/brand.ts';
import { defaultBrandFile } from '../../../../../../workers/pdf/layout/design-assets.ts';
import { labelsOf } from '../../../../../../workers/pdf/layout/labels.ts';
import {
  badgeOf,
  type PreparedListing,
  placeOf,
  viewOfListing,
} from '../../../../../../workers/pdf/layout/view/listing.ts';
import { Listing } from '../../../../../../workers/pdf/listing.ts';

describe('the badge', () => {
  it.each([
    ['Sale', 'Ready', 'For sale'],
    ['For Sale', '', 'For sale'],
    ['sale', 'off_plan', 'Off-plan'],
    ['Sale', 'Off-Plan', 'Off-plan'],
    ['', 'off_plan_primary', 'Off-plan'],
    ['Rent', 'off_plan', 'For rent'],
    ['RENT', 'completed', 'For rent'],
    ['Short stay', '', 'Short stay'],
    ['', 'completed', undefined],
  ])('of purpose "%s" and completion "%s" is %s', (purpose, completion_status, expected) => {
    expect(badgeOf({ purpose, completion_status })?.label).toBe(expected);
  });
});

describe('the place', () => {
  const noPlace = { tower_name: '', property_name: '', sub_community: '', community: '', city: '' };

  it.each<[Partial<typeof noPlace>, string]>([
    [{}, ''],
    [{ city: 'Dubai' }, 'Dubai'],
    [{ tower_name: 'Aurora Tower', property_name: 'aurora tower', city: 'Dubai' }, 'aurora tower, Dubai'],
    [
      { property_name: 'Saheel Villas', sub_community: 'Saheel', community: 'Arabian Ranches' },
      'Saheel Villas, Arabian Ranches',
    ],
    [{ tower_name: 'Heights', property_name: 'Heights Tower 1', city: 'Dubai' }, 'Heights Tower 1, Dubai'],
    [{ community: 'Dubai Marina', city: 'Dubai' }, 'Dubai Marina, Dubai'],
    [{ community: 'Sharjah', city: 'sharjah' }, 'Sharjah'],
  ])('of %j is "%s"', (fields, expected) => {
    expect(
      placeOf({ ...noPlace, ...fields })
        .map(name => name.text)
        .join(', '),
    ).toBe(expected);
  });
});

describe('the view of a listing', async () => {
  const { brand } = await loadBrand(defaultBrandFile);
  const view = (fields: object, given: Partial<PreparedListing> = {}, language: 'en' | 'ar' | 'both' = 'en') =>
    viewOfListing(
      {
        listing: Listing.parse({ reference_number: 'R 1', title_en: 'Home', ...fields }),
        photos: [],
        agentPhoto: null,
        ...given,
      },
      2,
      {
        brand,
        labels: labelsOf(language),
        currency: 'AED',
        firstPage: 6,
        ownPages: 2,
      },
    );

  it('has its page numbers after the cover and the listings before it', () => {
    expect(view({})).toMatchObject({ index: 2, firstPage: 6, secondPage: 7 });
  });

  it.each([
    ['Villa', 'Sale', 'About this home', 'This home online'],
    ['Land', 'Sale', 'About this plot', 'This plot online'],
    ['Office', 'Rent', 'About this space', 'This space online'],
    ['Holiday home', 'Rent', 'About this home', 'This home online'],
  ])('of a %s for %s has the heading "%s" and the link "%s"', (property_type, purpose, heading, onlineLabel) => {
    expect(view({ property_type, purpose })).toMatchObject({ heading, onlineLabel });
  });

  it('has empty values for missing data', () => {
    expect(view({ title_en: '-', purpose: '' })).toMatchObject({
      reference: 'R 1',
      place: [],
      placeLine: '',
      badge: null,
      propertyType: '',
      price: null,
      facts: [],
      hasStory: false,
      hasAmenities: false,
      agent: null,
      permit: null,
      map: null,
      online: null,
      morePhotos: '',
    });
  });

  it('translates known amenities on Arabic pages, and keeps their icons', () => {
    const amenities = "Pool, maid's room, Zen Corner";
    expect(view({ amenities }, {}, 'ar').amenities).toEqual([
      { text: 'مسبح', dir: 'rtl', lang: 'ar', icon: 'waves-ladder' },
      { text: 'غرفة خادمة', dir: 'rtl', lang: 'ar', icon: 'bed-single' },
      { text: 'Zen Corner', dir: 'ltr', lang: 'en', icon: 'check' },
    ]);
    for (const language of ['en', 'both'] as const)
      expect(view({ amenities }, {}, language).amenities.map(({ text }) => text)).toEqual([
        'Pool',
        "Maid's Room",
        'Zen Corner',
      ]);
  });

  it('prints the tracked link in place of the listing’s page, with a QR code', () => {
    expect(view({})).toMatchObject({
      listingUrl: 'https://meridianpalm.example/homes/R%201',
      listingUrlText: 'meridianpalm.example/homes/R%201',
      online: null,
    });
    const tracked = view({}, { trackedUrl: 'https://go.example/r/a' });
    expect(tracked).toMatchObject({ listingUrl: 'https://go.example/r/a', listingUrlText: 'go.example/r/a' });
    expect(tracked.online).toMatchObject({
      label: 'This home online',
      url: 'https://go.example/r/a',
      text: 'go.example/r/a',
    });
  });

  it('has a code for the virtual tour, else for the video, unless the link is tracked', () => {
    const [tour_url, video_url] = ['https://www.tour.example/1', 'http://video.example/2'];
    expect(view({ tour_url, video_url }).online).toMatchObject({
      label: 'Virtual tour',
      url: tour_url,
      text: 'www.tour.example',
    });
    expect(view({ video_url }, {}, 'ar').online).toMatchObject({
      label: 'فيديو',
      url: video_url,
      text: 'video.example',
    });
    expect(view({ video_url }, { trackedUrl: 'https://go.example/r/a' }).online?.url).toBe('https://go.example/r/a');
    for (const unsafe of ['javascript:alert(1)', 'ftp://x.example', 'tour', ' '])
      expect(view({ tour_url: unsafe }).online).toBeNull();
    expect(view({ tour_url: `https://t.example/${'x'.repeat(60)}` }).online).toMatchObject({ text: 't.example' });
  });

  it('labels the permit of a holiday home as such', () => {
    expect(view({ permit_number: '123' }).permit?.label).toBe('Permit');
    expect(view({ permit_number: '123', property_type: 'Holiday home' }).permit?.label).toBe('DTCM permit');
  });

  it('numbers the photos in their alternative texts, without those that are missing', () => {
    const slot = { name: 'hero', widthMm: 1, heightMm: 2 };
    const photos = [
      { slot, src: 'a' },
      { slot, src: null },
      { slot, src: 'b' },
    ];
    const photo = ['1', '2', '3', '4'];
    const fields = { property_type: 'villa', community: 'Marina', city: 'Dubai', photo };
    const seen = view(fields, { photos });
    expect(seen.photos.map(({ alt }) => alt)).toEqual([
      'Villa, Marina, Dubai: photo 1 of 2',
      '',
      'Villa, Marina, Dubai: photo 2 of 2',
    ]);
    expect(seen.photos[0]).toMatchObject({ slot: 'hero', src: 'a', widthMm: 1, heightMm: 2 });
    expect(view({}, { photos }).photos[0]?.alt).toBe('Property: photo 1 of 2');
    expect(view({}, { photos }, 'ar').photos[0]?.alt).toBe('عقار: صورة 1 من 2');
  });

  it('has more photographs online only beside the link to its page', () => {
    const more = { hasMorePhotos: true };
    expect(view({}, more)).toMatchObject({ listingUrl: expect.any(String), morePhotos: 'More photographs online' });
    expect(view({}, more, 'ar')).toMatchObject({ morePhotos: 'صور أخرى على موقعنا' });
    expect(view({ reference_number: '<br>' }, more)).toMatchObject({ listingUrl: null, morePhotos: '' });
    for (const hasMorePhotos of [false, undefined]) expect(view({}, { hasMorePhotos }).morePhotos).toBe('');
  });

  it.each([
    ['High floor | Chiller free | Vacant', 'High\u00A0floor\u00A0| Chiller\u00A0free\u00A0| Vacant'],
    ['One • two three • four', 'One\u00A0• two\u00A0three\u00A0• four'],
    ['A phrase of more than 24 letters | b c', 'A phrase of more than 24 letters\u00A0| b\u00A0c'],
    [`${'x'.repeat(12)} ${'y'.repeat(11)} | z`, `${'x'.repeat(12)}\u00A0${'y'.repeat(11)}\u00A0| z`],
    ['A villa by the sea', 'A villa by the sea'],
  ])('keeps short phrases of the title "%s" on a line', (title_en, expected) => {
    expect(view({ title_en }).title.text).toBe(expected);
  });
});

describe('the badge in its kind and language', () => {
  it.each([
    [{ purpose: 'Sale', completion_status: '' }, 'home', 'sale', 'للبيع'],
    [{ purpose: 'Rent', completion_status: '' }, 'home', 'rent', 'للإيجار'],
    [{ purpose: 'Sale', completion_status: 'off_plan' }, 'off-plan', 'off-plan', 'على الخارطة'],
    [{ purpose: 'Sale', completion_status: '' }, 'holiday', 'rent', 'بيت عطلات'],
    [{ purpose: 'Auction', completion_status: '' }, 'home', 'other', 'Auction'],
  ] as const)('of %j as %s is %s "%s"', (listing, kind, badge, label) => {
    expect(badgeOf(listing, labelsOf('ar'), kind)).toEqual({ kind: badge, label });
  });

  it('is not shown for an unknown purpose of more than 24 characters', () => {
    expect(badgeOf({ purpose: 'x-'.repeat(12), completion_status: '' })).not.toBeNull();
    expect(badgeOf({ purpose: `${'x-'.repeat(12)}x`, completion_status: '' })).toBeNull();
  });
});
