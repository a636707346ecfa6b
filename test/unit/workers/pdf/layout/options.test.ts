import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBrands } from '../../../../../core/domain/brands/brands.ts';
import { coverPagesOf } from '../../../../../workers/pdf/layout/cover.ts';
import type { Design } from '../../../../../workers/pdf/layout/design.ts';
import { loadDesigns, openDesigns } from '../../../../../workers/pdf/layout/designs.ts';
import { labelsOf } from '../../../../../workers/pdf/layout/labels.ts';
import type { PreparedListing } from '../../../../../workers/pdf/layout/view/listing.ts';
import { priceOf } from '../../../../../workers/pdf/layout/view/price.ts';
import { Listing } from '../../../../../workers/pdf/listing.ts';

const designs = await loadDesigns();
const both: [string, Design][] = [
  ['classic', designs.classic],
  ['new', designs.new],
];

const prepared = (number: number, fields: object = {}): PreparedListing => ({
  listing: Listing.parse({
    reference_number: `R-${number}`,
    title_en: `Villa ${number}`,
    purpose: 'Rent',
    property_type: 'Villa',
    price: '185000',
    rental_period: 'Yearly',
    cheques: '4',
    city: 'Dubai',
    community: 'Dubai Marina',
    bedroom: '4',
    size: '3200',
    amenities: 'Pool',
    ...fields,
  }),
  photos: [],
  agentPhoto: null,
});
const list = (count: number) => Array.from({ length: count }, (_, at) => prepared(at + 1));
/** The document without its style sheet. */
const bodyOf = (html: string) => html.replace(/<style>[\s\S]*?<\/style>/, '');

describe.each(both)('texts in Arabic on a page of the %s design', (_, design) => {
  const texts = {
    title_en: 'Villa by the sea',
    description_en: 'A quiet street.',
    title_ar: 'فيلا على البحر',
    description_ar: 'شارع هادئ.',
  };
  const pageIn = (language: 'en' | 'ar' | 'both', fields: object = texts) =>
    bodyOf(design.with({ language, cover: false }).html([prepared(1, fields)]));

  it('are not in a brochure in English', () => {
    expect(pageIn('en')).toContain('Villa by the sea');
    expect(pageIn('en')).not.toMatch(/فيلا على البحر|شارع هادئ/);
  });

  it('replace the others in a brochure in Arabic', () => {
    expect(pageIn('ar')).toMatch(/<h1 [^>]*data-fit="title_ar">فيلا على البحر<[\s\S]*data-flow="description_ar"/);
    expect(pageIn('ar')).not.toMatch(/Villa by the sea|A quiet street/);
    expect(pageIn('ar', { ...texts, title_ar: '' })).toContain('Villa by the sea');
  });

  it('follow the others in a brochure in both', () => {
    expect(pageIn('both')).toMatch(
      /Villa by the sea<[\s\S]*data-fit="title_ar">فيلا على البحر<[\s\S]*A quiet street\.<[\s\S]*شارع هادئ\.</,
    );
    expect(pageIn('both', {})).not.toContain('title_ar');
  });

  it('are the terms of a rent, the disclaimer and completion, too', () => {
    const page = pageIn('both', { ...texts, completion_status: 'Ready' });
    for (const text of [/سنة · 4 شيكات/, /قدمت هذه البيانات بحسن نية/, /Ready · جاهز/]) expect(page).toMatch(text);
    if (design.name === 'classic') expect(page).toContain('صفحة 1 من 1');
  });
});

describe.each(both)('the %s design’s cover', (name, design) => {
  const pagesEach = name === 'new' ? 2 : 1;
  const covered = design.with({ language: 'en', cover: true });

  it.each([1, 2, 3])('does not exist for a list of %i', count => {
    expect(covered.pagesOf(list(count))).toBe(count * pagesEach);
    expect(bodyOf(covered.html(list(count)))).not.toContain('class="cover');
  });

  it('lists every home with its page number', () => {
    const html = bodyOf(covered.html(list(5)));
    expect(covered.pagesOf(list(5))).toBe(1 + 5 * pagesEach);
    expect(html).toContain('<h1>5 homes in Dubai</h1>');
    const pages = [...html.matchAll(/class="cover-page">(\d+)</g)].map(([, page]) => Number(page));
    expect(pages).toEqual([0, 1, 2, 3, 4].map(at => 2 + at * pagesEach));
    for (let at = 0; at < 5; at += 1) {
      expect(html).toContain(`href="#listing-${at}"`);
      expect(html).toContain(`id="listing-${at}"`);
    }
  });

  it('has as many pages as its table of contents needs', () => {
    for (const [count, pages] of [
      [4, 1],
      [7, 1],
      [8, 2],
      [17, 2],
      [18, 3],
      [200, 21],
    ] as const) {
      expect(coverPagesOf(count, true)).toBe(pages);
    }
    const html = bodyOf(covered.html(list(19)));
    expect(html.match(/<section class="cover/g)).toHaveLength(3);
    expect(html.match(/class="cover-page"/g)).toHaveLength(19);
  });

  describe('with an addressee or a note', () => {
    const letter = { for: 'Mr and Mrs <Al Suwaidi>', note: 'Seen on Thursdays.' };
    const written = design.with({ language: 'en', cover: letter, date: '2026-11-22' });

    it('is before lists of any length, and prints both, the date and the agent of all listings', () => {
      const agent = { name: 'Layla Haddad', email: 'layla@example.com', phone: '+971501234501' };
      const html = bodyOf(written.html([prepared(1, { agent }), prepared(2, { agent })]));
      expect(written.pagesOf(list(2))).toBe(1 + 2 * pagesEach);
      expect(html).toContain('Prepared for <bdi lang="en">Mr and Mrs &lt;Al Suwaidi&gt;</bdi>');
      expect(html).toContain('Seen on Thursdays.');
      expect(html).toContain('22 November 2026');
      expect(html).toMatch(/class="cover-who"[^>]*>Layla Haddad</);
    });

    it('names the brand when the agents differ', () => {
      const agents = ['Layla Haddad', 'Omar Farouk'].map((name, at) => prepared(at, { agent: { name } }));
      expect(bodyOf(written.html(agents))).toContain('class="cover-who">Meridian &amp; Palm<');
    });

    it('has the title, place and price of a single listing and no table of contents', () => {
      const html = bodyOf(written.html([prepared(1, { price: '1200000' })]));
      const cover = html.slice(html.indexOf('class="cover"'), html.indexOf('class="cover-foot"'));
      expect(cover).toContain('1,200,000');
      expect(cover).toContain('<h1>Villa 1</h1>');
      expect(cover).not.toContain('cover-contents');
    });

    it('has a row less on the first page for a note', () => {
      expect([6, 7].map(count => coverPagesOf(count, letter))).toEqual([1, 2]);
      expect([7, 8].map(count => coverPagesOf(count, { ...letter, note: '' }))).toEqual([1, 2]);
      expect(coverPagesOf(1, { for: '', note: '' })).toBe(1);
    });

    it('is dated in Arabic on Arabic pages', () => {
      const arabic = design.with({ language: 'ar', cover: letter, date: '2026-11-22' });
      expect(bodyOf(arabic.html(list(1)))).toContain('22 نوفمبر 2026');
    });

    it('has the first photo of the first listing that has one, and thumbnails of one size', () => {
      const slot = { name: 'hero', widthMm: 182, heightMm: 91 };
      const src = 'https://brochure.invalid/photos/2.jpg';
      const lead = { src, widthMm: 210, heightMm: 100 };
      const withPhoto = { ...prepared(2), photos: [{ slot, src }], lead };
      const html = bodyOf(written.html([prepared(1), withPhoto]));
      const styles = [...html.matchAll(/class="cover-(?:lead|photo)"[^?]*?2\.jpg" alt="[^"]*" style="([^"]*)"/g)].map(
        ([, style]) => style,
      );
      expect(styles).toEqual(['width:210mm;height:100mm', 'width:36mm;height:18mm;inset:0mm auto auto -3.5mm']);
    });
  });

  it('and the language each change the version of the design', () => {
    const versions = (['en', 'ar', 'both'] as const).flatMap(language =>
      [true, false].map(cover => design.with({ language, cover }).version),
    );
    expect(new Set(versions).size).toBe(6);
    expect(versions).toContain(design.version);
  });
});

describe.each(both)('the %s design’s labels', (_, design) => {
  const inLanguage = (language: 'en' | 'ar' | 'both') => bodyOf(design.with({ language, cover: false }).html(list(1)));

  it('are Arabic on a right-to-left page for "ar"', () => {
    const html = inLanguage('ar');
    expect(html).toContain('<html lang="ar" dir="rtl">');
    for (const word of ['للإيجار', 'المرافق', 'غرف نوم', '185,000', 'درهم', '4 شيكات', 'الرقم المرجعي', 'فيلا']) {
      expect(html.replaceAll('&nbsp;', ' ')).toContain(word);
    }
    expect(html).not.toMatch(/>(?:Amenities|Details|Bedrooms|For rent|Reference|AED)</);
  });

  it('are in both languages for "both"', () => {
    const html = inLanguage('both');
    expect(html).toContain('<html lang="en" dir="ltr">');
    expect(html).toContain('Amenities · المرافق');
    expect(html).toContain('Bedrooms\nغرف نوم');
  });
});

describe('a rent in Arabic', () => {
  const rent = {
    price: '1000',
    price_on_application: '',
    purpose: 'Rent',
    rental_period: 'Yearly',
    size: '',
  };

  it.each([
    ['1', 'شيك واحد'],
    ['2', 'شيكان'],
    ['4', '4 شيكات'],
    ['12', '12 شيكًا'],
  ])('uses the Arabic plural form for %s cheques', (cheques, expected) => {
    expect(priceOf({ ...rent, cheques }, labelsOf('ar'))).toMatchObject({
      currency: '',
      amount: '1,000',
      currencyAfter: 'درهم',
      terms: `/ سنة · ${expected}`,
    });
  });
});

describe('the dirham sign', () => {
  it('is not in the bundled fonts: pages print AED', () => {
    expect(bodyOf(designs.new.html(list(1)))).toContain('AED');
  });
});

describe('brands', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'brands-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const request = { design: 'classic', language: 'en', cover: false } as const;

  it('are the files of the folder; a missing folder has none', async () => {
    expect([...(await findBrands({ BRANDS_DIR: undefined })).keys()]).toContain('northline');
    expect([...(await findBrands({ BRANDS_DIR: path.join(folder, 'none') })).keys()]).toEqual([]);
  });

  it('determine author, colours and version of the document', async () => {
    const chooseDesign = await openDesigns({ BRANDS_DIR: undefined });
    const defaultBrand = await chooseDesign(request);
    const northline = await chooseDesign({ ...request, brand: 'northline' });
    expect(northline.author).toBe('Northline Commercial');
    expect(northline.html(list(1))).toContain('--accent: #A3452C');
    expect(northline.version).not.toBe(defaultBrand.version);
  });

  it('throw when unknown or invalid, and load once the file is valid', async () => {
    const chooseDesign = await openDesigns({ BRANDS_DIR: folder });
    await expect(chooseDesign({ ...request, brand: 'house-two' })).rejects.toThrow('There is no brand "house-two".');
    await writeFile(path.join(folder, 'house-two.json'), '{}');
    await expect(chooseDesign({ ...request, brand: 'house-two' })).rejects.toThrow(
      'The file of brand "house-two" is invalid.',
    );
    const brand = {
      name: 'House Two',
      tagline: '',
      logo: 'mark.svg',
      colours: { ink: '#101010', accent: '#804020', tint: '#f0f0f0' },
      contact: { phone: '+97145550140', email: 'a@example.com', website: 'https://example.com', address: '' },
      licence: 'House Two',
      disclaimer: '',
    };
    await writeFile(path.join(folder, 'mark.svg'), '<svg viewBox="0 0 1 1"></svg>');
    await writeFile(path.join(folder, 'house-two.json'), JSON.stringify(brand));
    expect((await chooseDesign({ ...request, brand: 'house-two' })).author).toBe('House Two');
  });
});
