/** What all brands share: templates with their helpers, styles, and the code on which a version depends. */
import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { sourceHash } from '../../../../../core/runtime/module-files.ts';
import { brandDesigns } from '../../../../../workers/pdf/layout/branded-design.ts';
import {
  type DesignAssets,
  defaultBrandFile,
  loadDesignAssets,
} from '../../../../../workers/pdf/layout/design-assets.ts';
import { Listing } from '../../../../../workers/pdf/listing.ts';

const templates = new URL('../../../../../templates/pdf/', import.meta.url);
const names = ['classic', 'new', 'card'] as const;
let assets: DesignAssets;
beforeAll(async () => {
  assets = await loadDesignAssets();
});

describe.each(names)('the %s design', name => {
  it.each([name, 'cover', 'plans'])('has the styles of %s', async folder => {
    expect(assets.designs[name].styles).toContain(await readFile(new URL(`${folder}/styles.css`, templates), 'utf8'));
  });

  it('has a source that changes with each of its templates', async () => {
    const { source } = assets.designs[name];
    expect(source).toContain(await readFile(new URL('cover/page.hbs', templates), 'utf8'));
    expect(source).toContain(await readFile(new URL('plans/page.hbs', templates), 'utf8'));
    expect(source).toContain('{{#each listings}}');
  });

  it('has a template that escapes values', async () => {
    const designs = await brandDesigns(assets, defaultBrandFile);
    const listing = Listing.parse({ reference_number: 'R-1', title_en: 'Villa & pool' });
    const image = { slot: { name: 'hero-1', widthMm: 1, heightMm: 1 }, src: null };
    const html = designs[name].html([{ listing, photos: [image], agentPhoto: null }]);
    expect(html).toContain('Villa &amp; pool');
    expect(html).not.toContain('Villa & pool');
  });

  it('has a template that throws when it names a missing value', () => {
    expect(() => assets.designs[name].template({ lang: 'en' })).toThrow('not defined');
  });
});

it('the version of all designs depends on the code of the pages', async () => {
  const folders = ['workers/pdf/layout', 'workers/pdf/print', 'workers/pdf/vocabulary', 'core/values'];
  expect(assets.codeHash).toBe(await sourceHash(folders));
  for (const folder of folders)
    expect(assets.codeHash, folder).not.toBe(await sourceHash(folders.filter(other => other !== folder)));
});

it('icons and lines are drawn in the colours that the templates name', async () => {
  const { new: fresh } = await brandDesigns(assets, defaultBrandFile);
  const listing = Listing.parse({
    reference_number: 'R-1',
    title_en: 'Villa',
    bedroom: '3',
    amenities: 'Pool, Gym',
    geopoints: '25.1,55.2',
    description_en: 'A text.',
    agent: { name: 'Layla', phone: '0501234501', email: 'layla@example.com' },
  });
  const html = fresh.html([{ listing, photos: [], agentPhoto: null }]);
  expect(html).toContain('<svg class="icon" color="#8A5A2B" aria-hidden="true"><use href="#icon-bed-double"/></svg>');
  expect(html).toMatch(/<svg class="rule" color="#[\dA-Fa-f]{6}" /);
  expect(html).toMatch(/<svg class="rule end" color="#[\dA-Fa-f]{6}" /);
  const { card } = await brandDesigns(assets, defaultBrandFile);
  const image = { slot: { name: 'square', widthMm: 1, heightMm: 1 }, src: null };
  expect(card.html([{ listing, photos: [image], agentPhoto: null }])).toContain(
    '<svg class="icon" aria-hidden="true"><use href="#icon-bed-double"/></svg>',
  );
});

it('fonts are the files of the folder with their addresses', () => {
  expect(assets.fonts.size).toBeGreaterThan(0);
  for (const [url, { contentType }] of assets.fonts)
    expect([url.endsWith('.woff2'), contentType]).toEqual([true, 'font/woff2']);
});
