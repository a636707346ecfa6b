/** The cover: its title, rows, photo and what it says about the listings as a whole. */
import { describe, expect, it } from 'vitest';
import { coverOf } from '../../../../../workers/pdf/layout/cover.ts';
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
  it('has a row for each listing: seven on the cover, then ten on each page', async () => {
    const { pages = [] } = (await cover(homes(19))) ?? {};
    expect(pages.map(({ isCover, number, rows }) => [isCover, number, rows.map(({ listing }) => listing)])).toEqual([
      [true, 1, [0, 1, 2, 3, 4, 5, 6]],
      [false, 2, [7, 8, 9, 10, 11, 12, 13, 14, 15, 16]],
      [false, 3, [17, 18]],
    ]);
  });

  it('has six rows on a cover with a note', async () => {
    const { pages = [] } = (await cover(homes(8), { cover: { for: '', note: 'Hello' } })) ?? {};
    expect(pages.map(({ rows }) => rows.length)).toEqual([6, 2]);
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

describe('the head of a cover', () => {
  it.each<[string, Given[], string, number]>([
    ['a single listing', homes(1), '', 254],
    ['a single listing with a note', homes(1), 'Hello', 231.775],
    ['five listings', homes(5), '', 123.825],
    ['five listings with a note', homes(5), 'Hello', 101.6],
    ['more listings than the cover has rows for', homes(20), '', 79.375],
  ])('of %s takes the height that the rest leaves', async (_, given, note, headMm) => {
    expect((await cover(given, { cover: { for: '', note } }))?.headMm).toBeCloseTo(headMm, 6);
  });

  const lead = async (count: number, ...photos: NonNullable<Given['photos']>) =>
    (await cover([...homes(count - 1), { photos }]))?.lead;

  it('has no photo when no listing has one', async () => {
    expect(await lead(2)).toBeNull();
    expect(await lead(2, null)).toBeNull();
  });

  it('has the first photo of the listings, cropped to the head around its centre', async () => {
    expect(await lead(5, null, [210, 171.45], [1, 1])).toEqual({
      src: 'photo-4-1',
      widthMm: 210,
      heightMm: 171.45,
      leftMm: 0,
      topMm: -23.81,
      boxMm: 123.82,
      alt: 'Property, Dubai: photo 1 of 2',
    });
  });

  it('has a photo that is enlarged by a quarter at most, unless it is narrower than the page then', async () => {
    expect(await lead(1, [182, 91])).toEqual({
      src: 'photo-0-0',
      widthMm: 227.5,
      heightMm: 113.75,
      leftMm: -8.75,
      topMm: 0,
      boxMm: 113.75,
      alt: 'Property, Dubai: photo 1 of 1',
    });
    expect(await lead(1, [84, 60])).toEqual({
      src: 'photo-0-0',
      widthMm: 210,
      heightMm: 150,
      leftMm: 0,
      topMm: 0,
      boxMm: 150,
      alt: 'Property, Dubai: photo 1 of 1',
    });
  });
});
