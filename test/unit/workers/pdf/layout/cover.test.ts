/** The cover: its title, rows, photo and what it says about the listings as a whole. */
import { describe, expect, it } from 'vitest';
import { coverOf, leadSlotOf } from '../../../../../workers/pdf/layout/cover.ts';
import type { DesignOptions } from '../../../../../workers/pdf/layout/design.ts';
import { labelsOf } from '../../../../../workers/pdf/layout/labels.ts';
import { type GivenView as Given, listingViews } from '../../../../support/listing-view.ts';

async function cover(given: readonly Given[], options: Partial<DesignOptions> = {}) {
  const { language = 'en' } = options;
  const views = await listingViews(given, language);
  return coverOf(views, labelsOf(language), { language, cover: { for: '', note: '' }, ...options });
}
const homes = (count: number, listing: object = {}): Given[] => Array.from({ length: count }, () => ({ listing }));

describe('the title of a cover', () => {
  const titleOf = async (given: readonly Given[], language: 'en' | 'ar' | 'both' = 'en') =>
    (await cover(given, { language }))?.title;

  it('is that of a single listing', async () => {
    expect(await titleOf(homes(1))).toEqual({ text: 'Home 0', dir: 'ltr', lang: 'en' });
  });

  it.each<[string, Given[]]>([
    ['2 homes in Dubai', homes(2)],
    ['2 homes', [{}, { listing: { city: 'Ajman' } }]],
    ['2 homes', homes(2, { city: '' })],
    ['2 properties in Dubai', [{}, { listing: { property_type: 'Office' } }]],
    ['3 properties in Dubai', [...homes(2), { listing: { property_type: 'Land' } }]],
  ])('is %j', async (title, given) => {
    expect(await titleOf(given)).toEqual({ text: title, dir: 'ltr', lang: 'en' });
    expect(await titleOf(given, 'both')).toMatchObject({ text: title });
  });

  it.each<[string, Given[]]>([
    ['10 منازل في Dubai', homes(10)],
    ['11 منزلًا في Dubai', homes(11)],
    ['2 منازل', homes(2, { city: '' })],
    ['3 عقارات في Dubai', homes(3, { property_type: 'Office' })],
    ['11 عقارًا', homes(11, { property_type: 'Office', city: '' })],
  ])('is %j in Arabic', async (title, given) => {
    expect(await titleOf(given, 'ar')).toEqual({ text: title, dir: 'rtl', lang: 'ar' });
  });
});

describe('a cover', () => {
  it('of no listings does not exist', async () => expect(await cover([])).toBeNull());

  it('does not exist when it is not wanted, or is wanted for fewer than four listings without an addressee', async () => {
    expect(await cover(homes(4), { cover: false })).toBeNull();
    expect(await cover(homes(3), { cover: true })).toBeNull();
    expect(await cover(homes(4), { cover: true })).not.toBeNull();
  });

  it('has place and price of a single listing', async () => {
    const listing = { community: 'Dubai Marina', price: '1200000', purpose: 'Sale' };
    expect(await cover(homes(1, listing))).toMatchObject({
      places: 'Dubai Marina, Dubai',
      price: { amount: '1,200,000' },
      pages: [{ rows: [] }],
    });
  });

  it('has the communities of several listings, at most six', async () => {
    const communities = ['A', 'B', 'A', 'C', 'D', 'E', 'F', 'G', ''];
    const listed = await cover(communities.map(community => ({ listing: { community, price: '1' } })));
    expect(listed).toMatchObject({ places: 'A · B · C · D · E · F', price: null });
  });

  it('has addressee and note in their direction, and neither when they are not given', async () => {
    expect(await cover(homes(1), { cover: { for: ' السيد ', note: 'On <b>Thursday</b>.' } })).toMatchObject({
      addressee: { text: 'السيد', dir: 'rtl' },
      note: { text: 'On Thursday.', dir: 'ltr' },
    });
    expect(await cover(homes(4), { cover: true })).toMatchObject({ addressee: { text: '' }, note: { text: '' } });
  });

  it('has a date in the language of its labels', async () => {
    const date = '2026-11-22';
    expect(await cover(homes(1))).toMatchObject({ date: '' });
    expect(await cover(homes(1), { date })).toMatchObject({ date: '22 November 2026' });
    expect(await cover(homes(1), { date, language: 'both' })).toMatchObject({ date: '22 November 2026' });
    expect(await cover(homes(1), { date, language: 'ar' })).toMatchObject({ date: '22 نوفمبر 2026' });
  });

  const agents = (...given: object[]) => given.map(agent => ({ listing: { agent } }));
  it.each<[string, Given[], string | undefined]>([
    ['of all listings', agents({ name: 'Layla' }, { name: 'Layla' }), 'Layla'],
    ['with one e-mail', agents({ name: 'Layla', email: 'l@a.ae' }, { name: 'L. Haddad', email: 'l@a.ae' }), 'Layla'],
    ['with other e-mails', agents({ name: 'Layla', email: 'l@a.ae' }, { name: 'Layla', email: 'm@a.ae' }), undefined],
    ['of two of three listings', agents({ name: 'Layla' }, { name: 'Layla' }, { name: 'Omar' }), undefined],
    ['of some listings', [...agents({ name: 'Layla' }), {}], undefined],
  ])('names an agent %s', async (_, given, name) => {
    expect((await cover(given))?.agent?.name.text).toBe(name);
  });
});

describe('the table of contents', () => {
  it('has a row for each listing: seven on the cover, then at most ten on each page, of similar numbers', async () => {
    const { pages = [] } = (await cover(homes(19))) ?? {};
    expect(pages.map(({ isCover, number, rows }) => [isCover, number, rows.map(({ listing }) => listing)])).toEqual([
      [true, 1, [0, 1, 2, 3, 4, 5, 6]],
      [false, 2, [7, 8, 9, 10, 11, 12]],
      [false, 3, [13, 14, 15, 16, 17, 18]],
    ]);
  });

  it.each<[string, number, string, number[]]>([
    ['no further page for seven', 7, '', [7]],
    ['four rows at least on a further page', 8, '', [4, 4]],
    ['six rows on a cover with a note', 16, 'Hello', [6, 10]],
  ])('has %s', async (_, count, note, numbers) => {
    const { pages = [] } = (await cover(homes(count), { cover: { for: '', note } })) ?? {};
    expect(pages.map(({ rows }) => rows.length)).toEqual(numbers);
  });

  it('has the permit of each listing with a price', async () => {
    const priced = { price: '5', permit_number: '7116777484' };
    const { pages = [] } = (await cover([{ listing: priced }, { listing: { ...priced, price: '' } }])) ?? {};
    const permits = pages.flatMap(({ rows }) => rows.map(({ permit }) => permit?.number));
    expect(permits).toEqual(['7116777484', undefined]);
  });

  it('has title, place, price, three facts, photo and page of a listing', async () => {
    const listing = { bedroom: '3', bathroom: '2', size: '1000', parking: '1', price: '5' };
    const { pages = [] } = (await cover([{}, { listing, photos: [null, [58, 18], [1, 1]] }])) ?? {};
    const [empty, full] = pages[0]?.rows ?? [];
    expect(empty).toMatchObject({ href: '#listing-0', photo: null, page: 2 });
    expect(full).toMatchObject({
      href: '#listing-1',
      title: { text: 'Home 1' },
      place: [{ text: 'Dubai' }],
      price: { amount: '5' },
      page: 4,
      facts: [{ kind: 'bedrooms' }, { kind: 'bathrooms' }, { kind: 'size' }],
      photo: { src: 'photo-1-1', widthMm: 58, heightMm: 18, leftMm: -14.5, topMm: 0 },
    });
    expect(full?.facts).toHaveLength(3);
  });
});

describe('the head of a page of the cover', () => {
  it.each<[string, Given[], string, number[]]>([
    ['a single listing', homes(1), '', [246.06]],
    ['a single listing with a note', homes(1), 'Hello', [223.84]],
    ['five listings', homes(5), '', [115.89]],
    ['five listings with a note', homes(5), 'Hello', [93.66]],
    ['more listings than the cover has rows for', homes(20), '', [71.44, 100.01, 122.24]],
  ])('of %s takes the height that the rest leaves', async (_, given, note, heights) => {
    const { pages = [] } = (await cover(given, { cover: { for: '', note } })) ?? {};
    expect(pages.map(({ headMm }) => Math.round(headMm * 100) / 100)).toEqual(heights);
  });

  it('shows the lead photo of a listing, its shade and its alternative text', async () => {
    const [view = expect.fail()] = await listingViews([{ photos: [[210, 171.45]] }]);
    const lead = { src: 'lead', widthMm: 216, heightMm: 100 };
    const options = { language: 'en', cover: { for: '', note: '' } } as const;
    const shown = coverOf([{ ...view, lead, shade: 'bright-top' }], labelsOf('en'), options)?.lead;
    expect(shown).toEqual({ ...lead, isFramed: false, shade: 'bright-top', alt: 'Property, Dubai: photo 1 of 1' });
    expect((await cover(homes(2)))?.lead).toBeNull();
  });

  const lead = (widthPx: number, heightPx: number, listings = 1) => {
    const slot = leadSlotOf({ widthPx, heightPx }, { listings, cover: { for: '', note: '' }, name: 'new' });
    return slot && [slot.widthMm, slot.heightMm];
  };

  it.each<[string, [width: number, height: number, listings?: number], [number, number] | null]>([
    ['the whole head', [1920, 1280], [210, 246.06]],
    ['the head of five listings', [1200, 800, 5], [210, 115.89]],
    ['the width, as far down as its pixels reach', [1200, 800], [210, 184.72]],
    ['a frame in its own shape', [600, 450], [138.54, 103.9]],
    ['a frame between brand and title', [800, 1600, 3], [182, 61.91]],
    ['no place beside four rows', [800, 600, 4], null],
    ['no place when it is small', [499, 1600], null],
  ])('gives a photo %s at 110 dpi', (_, photo, size) => {
    expect(lead(...photo)).toEqual(size?.map(mm => expect.closeTo(mm, 1)) ?? null);
  });
});
