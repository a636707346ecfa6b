/** A design with its brand and options: what the printer and the photo stage read of it. */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { brandDesigns, dirhamSign } from '../../../../../workers/pdf/layout/branded-design.ts';
import {
  type DesignAssets,
  defaultBrandFile,
  loadDesignAssets,
} from '../../../../../workers/pdf/layout/design-assets.ts';
import { openDesigns } from '../../../../../workers/pdf/layout/designs.ts';
import { Listing } from '../../../../../workers/pdf/listing.ts';

const templates = new URL('../../../../../templates/', import.meta.url);
let assets: DesignAssets;
beforeAll(async () => {
  assets = await loadDesignAssets();
});
const loadDesigns = () => brandDesigns(assets, defaultBrandFile);
const listed = (fields: object = {}) => ({
  listing: Listing.parse({ reference_number: 'R-1', title_en: 'Villa', ...fields }),
  photos: [],
  agentPhoto: null,
});

describe('a design in a brand', () => {
  it('has name, pages and brand of its document', async () => {
    const { classic, new: fresh } = await loadDesigns();
    const shared = { author: 'Meridian & Palm', language: 'en', agentSlot: { name: 'agent', crop: 'centre' } };
    expect(classic).toMatchObject({ ...shared, name: 'classic', maxPhotos: 6 });
    expect(fresh).toMatchObject({ ...shared, name: 'new', maxPhotos: 10 });
    const listings = (count: number) => Array.from({ length: count }, () => listed());
    expect([classic.pagesOf(listings(5)), fresh.pagesOf(listings(5))]).toEqual([5, 10]);
    const covered = fresh.with({ language: 'ar', cover: true });
    expect([3, 5].map(count => covered.pagesOf(listings(count)))).toEqual([6, 11]);
    expect(covered.language).toBe('ar');
    expect(classic.listingUrl(listed().listing)).toBe('https://meridianpalm.example/homes/R-1');
  });

  it.each([
    [1, 'Villa – Meridian &amp; Palm'],
    [2, '2 homes – Meridian &amp; Palm'],
  ])('has a document title for %i listings: %j', async (count, title) => {
    const { classic } = await loadDesigns();
    expect(classic.html(Array.from({ length: count }, () => listed()))).toContain(`<title>${title}</title>`);
  });

  it('has the colours of its brand, its fonts, and the icons that its listings use', async () => {
    const { classic } = await loadDesigns();
    const html = classic.html([listed({ amenities: 'Gym', bedroom: '2' })]);
    expect(html).toContain(':root { --ink: #12312E; --accent: #8A5A2B; --tint: #F4EFE7; }');
    expect(html).toContain('@font-face');
    expect(html).toContain('id="icon-dumbbell"');
    expect(html).toContain('id="icon-bed-double"');
    expect(html).not.toContain('id="icon-waves-ladder"');
    expect([...classic.assets.keys()]).not.toEqual([]);
    for (const [url, { contentType, body }] of classic.assets) {
      expect(url).toMatch(/^https:\/\/brochure\.invalid\/fonts\/[\w-]+\.woff2$/);
      expect(contentType).toBe('font/woff2');
      expect(body.subarray(0, 4).toString()).toBe('wOF2');
    }
  });

  it('translates amenities on Arabic pages', async () => {
    const { classic } = await loadDesigns();
    const arabic = classic.with({ language: 'ar', cover: false });
    expect(arabic.html([listed({ amenities: 'Infinity pool, Unknown thing' })])).toMatch(
      /مسبح لا متناهٍ[\s\S]*Unknown Thing/,
    );
    expect(classic.html([listed({ amenities: 'infinity pool' })])).toContain('Infinity Pool');
  });

  it('has a page more for the floor plans of a listing, which the pages after it count', async () => {
    const { new: fresh } = await loadDesigns();
    const plans = [{ slot: { widthMm: 182, heightMm: 100 }, src: 'https://brochure.invalid/photos/plan.jpg' }];
    const listings = [listed(), { ...listed(), plans }, listed()];
    expect(fresh.pagesOf(listings)).toBe(7);
    const html = fresh.html(listings);
    expect(html.match(/>\d \/ 7</g)).toEqual([1, 2, 3, 4, 5, 6, 7].map(page => `>${page} / 7<`));
  });

  it('has a map of the configured provider, with its attribution', async () => {
    const maps = { MAP_URL: 'https://maps.example/{lat},{lon}.png', MAP_ATTRIBUTION: '© Map makers' };
    const located = { ...listed({ geopoints: '25.1,55.2' }), map: 'https://brochure.invalid/maps/1.png' };
    const { new: fresh } = await brandDesigns(assets, defaultBrandFile, maps);
    expect(fresh.mapUrl(located.listing)).toBe('https://maps.example/25.1,55.2.png');
    expect(fresh.html([located])).toContain('© Map makers');
    const { new: without } = await loadDesigns();
    expect(without.mapUrl(located.listing)).toBeNull();
    expect(without.html([located])).toContain('https://brochure.invalid/maps/1.png');
    expect(without.html([located])).not.toMatch(/© Map makers|undefined/);
  });

  it.each([
    ['U+20AD-20C0', null],
    ['U+0000-00FF,U+20C3', '\u20C3'],
    ['U+20c3-20CF', '\u20C3'],
    ['U+20A0-20C3', '\u20C3'],
    ['U+20C4-20CF', null],
    ['U+20C2', null],
  ])('prints the sign of the dirham when a font has it: %s', (range, sign) =>
    expect(dirhamSign(`@font-face { unicode-range: ${range} }`)).toBe(sign),
  );

  it('prints the sign of the dirham before a price', async () => {
    const fontStyles = `${assets.fontStyles}@font-face { unicode-range: U+20C3 }`;
    const { classic } = await brandDesigns({ ...assets, fontStyles }, defaultBrandFile);
    expect(classic.html([listed({ price: '1000000' })])).toContain('\u20C3');
    expect((await loadDesigns()).classic.html([listed({ price: '1000000' })])).toContain('AED');
  });

  it('marks bilingual documents', async () => {
    const { classic } = await loadDesigns();
    const bodyIn = (language: 'en' | 'both') =>
      /<body[^>]*>/.exec(classic.with({ language, cover: false }).html([listed()]))?.[0];
    expect([bodyIn('en'), bodyIn('both')]).toEqual(['<body>', '<body class="bilingual">']);
  });
});

describe('the version of a design', () => {
  const versionsOf = (designs: Awaited<ReturnType<typeof loadDesigns>>) => [
    designs.classic.version,
    designs.new.version,
  ];

  it('is the same for the same parts, and differs between designs and options', async () => {
    const [first, again] = [await loadDesigns(), await loadDesigns()];
    expect(versionsOf(first)).toEqual(versionsOf(again));
    const others = [
      { language: 'ar', cover: false },
      { language: 'en', cover: true },
    ] as const;
    const versions = [...versionsOf(first), ...others.map(options => first.classic.with(options).version)];
    expect(new Set(versions).size).toBe(4);
    for (const version of versions) expect(version).toMatch(/^[0-9a-f]{64}$/);
    expect(first.classic.with({ language: 'en', cover: false }).version).toBe(first.classic.version);
  });

  it('changes with the code, the icons, the fonts, and the styles', async () => {
    const base = (await brandDesigns(assets, defaultBrandFile)).classic.version;
    const font = { body: Buffer.from('x'), contentType: 'font/woff2' };
    const changes = [
      { codeHash: 'other' },
      { icons: new Map([...assets.icons, ['phone', '<symbol id="icon-phone"/>']]) },
      { fonts: new Map([...assets.fonts, ['https://brochure.invalid/fonts/x.woff2', font]]) },
      { fontStyles: `${assets.fontStyles}\n` },
    ];
    const versions = await Promise.all(
      changes.map(async change => (await brandDesigns({ ...assets, ...change }, defaultBrandFile)).classic.version),
    );
    expect(new Set([base, ...versions]).size).toBe(changes.length + 1);
  });

  it('changes with the brand and the provider of maps', async () => {
    const versionWith = async (maps: object, brand = defaultBrandFile) =>
      (await brandDesigns(assets, brand, maps)).new.version;
    const versions = [
      await versionWith({}),
      await versionWith({ MAP_URL: 'https://maps.example/{lat},{lon}.png' }),
      await versionWith({ MAP_ATTRIBUTION: '© Map makers' }),
      await versionWith({}, new URL('brands/northline.json', templates)),
    ];
    expect(new Set(versions).size).toBe(4);
  });
});

describe('further brands', () => {
  it('are loaded once, and again after a failure', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'brands-'));
    try {
      await cp(new URL('brands', templates), folder, { recursive: true });
      const chooseDesign = await openDesigns({ BRANDS_DIR: folder });
      const choose = (brand?: string) => chooseDesign({ design: 'new', language: 'en', cover: false, brand });
      const file = path.join(folder, 'northline.json');
      const valid = await readFile(file, 'utf8');
      await writeFile(file, '{}');
      await expect(choose('northline')).rejects.toMatchObject({
        code: 'invalid-input',
        message: 'The file of brand "northline" is invalid.',
        cause: expect.any(Error),
      });
      await writeFile(file, valid);
      expect((await choose('northline')).author).toBe('Northline Commercial');
      await writeFile(file, '{}');
      expect((await choose('northline')).author).toBe('Northline Commercial');
      expect(await choose()).toMatchObject({ author: 'Meridian & Palm', name: 'new' });
      await expect(choose('unknown')).rejects.toMatchObject({ code: 'invalid-input' });
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
