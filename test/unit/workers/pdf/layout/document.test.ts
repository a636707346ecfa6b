import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { Design } from '../../../../../workers/pdf/layout/design.ts';
import { loadDesigns } from '../../../../../workers/pdf/layout/designs.ts';
import type { PreparedListing } from '../../../../../workers/pdf/layout/view/listing.ts';
import { Listing, ListingList } from '../../../../../workers/pdf/listing.ts';
import { freeTextFields } from '../../../../support/free-text-fields.ts';

const designs = await loadDesigns();
const both: [string, Design][] = [
  ['classic', designs.classic],
  ['new', designs.new],
];

const fields = ['project_number', 'escrow_account', 'draft', ...freeTextFields];

const required = { reference_number: 'R-1', title_en: 'Home' };

/** A listing with the same text in every field. */
function filled(text: string, agentText = text): Listing {
  const agent = {
    id: agentText,
    name: agentText,
    email: agentText,
    phone: agentText,
    photo: '',
    brn_number: agentText,
  };
  return Listing.parse({
    ...Object.fromEntries(fields.map(field => [field, text])),
    reference_number: text || 'R-1',
    title_en: text || 'Home',
    agent,
  });
}

function prepared(design: Design, listing: Listing, photos = 4): PreparedListing {
  const shapes = Array.from({ length: photos }, () => ({ widthPx: 1920, heightPx: 1280 }));
  const placed = design.arrange(shapes, 1, listing);
  return {
    listing,
    photos: placed.map(({ slot, photo }) => ({
      slot,
      src: photo === null ? null : `https://brochure.invalid/photos/${photo}.jpg`,
    })),
    agentPhoto: null,
  };
}

const tags = (html: string) => (html.match(/<[a-z]+/g) ?? []).length;

describe.each(both)('the %s design’s document', (_, design) => {
  it.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '"><svg onload=alert(1)>',
    "' onmouseover='alert(1)",
    '</style><iframe src="https://evil.example">',
    '{{price}} {{{brand.mark}}} {{> icon/phone}}',
    '&lt;script&gt;alert(1)&lt;/script&gt;',
    '<object data="x">',
  ])('escapes %s in every field', text => {
    const html = design.html([prepared(design, filled(text))]);
    const plain = design.html([prepared(design, filled('x'.repeat(12)))]);
    expect(html).not.toMatch(/<script|<iframe|<object|<svg onload|<img src=x/i);
    expect(html).not.toMatch(/<[^>]*\son\w+=/i);
    expect(tags(html)).toBeLessThanOrEqual(tags(plain));
  });

  it.each([
    ['nothing but what is required', Listing.parse(required)],
    ['empty text everywhere', filled('')],
    ['zeros', filled('0')],
    ['a minus', filled('-')],
    ['symbols', filled('😀🏡')],
    ['Arabic', filled('فيلا فاخرة')],
    ['override characters', filled('\u202E\u2066abc')],
    ['a flag', filled('yes')],
    ['one long word', filled('W'.repeat(1_000))],
  ])('of %s contains neither undefined, null, NaN nor [object', (_, listing) => {
    for (const photos of [0, 1, 5]) {
      const html = design.html([prepared(design, listing, photos)]);
      expect(html).not.toMatch(/undefined|\bnull\b|NaN|\[object/);
      expect(html).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/);
    }
  });

  it('has an h1 for every listing, and a title', () => {
    const html = design.html([filled('One'), filled('Two')].map(listing => prepared(design, listing)));
    expect(html.match(/<h1[\s>]/g)).toHaveLength(2);
    expect(html).toMatch(/<html[^>]* lang="en"/);
    expect(html).toMatch(/<title>[^<]+<\/title>/);
  });

  it('gives every image an alternative text and does not crop it in CSS', () => {
    const html = design.html([prepared(design, filled('Marina'), 10)]);
    const images = html.match(/<img[^>]*>/g) ?? [];
    expect(images.length).toBeGreaterThan(0);
    for (const image of images) expect(image).toMatch(/alt="[^"]+"/);
    expect(html).not.toMatch(/object-fit|background-size/);
  });

  it('refers to its own assets only', () => {
    const html = design.html([prepared(design, filled('Marina'))]);
    const styles = html.match(/url\(["']?[^)"']+/g) ?? [];
    expect(styles.length).toBeGreaterThan(0);
    for (const use of styles) expect(design.assets.has(use.replace(/^url\(["']?/, ''))).toBe(true);
  });

  it('is the same for the same input', async () => {
    const again = await loadDesigns();
    const listings = [prepared(design, filled('Marina'))];
    expect(again[design.name].version).toBe(design.version);
    expect(again[design.name].html(listings)).toBe(design.html(listings));
  });
});

describe('the new design’s pages', () => {
  it('are two per listing with consecutive numbers', () => {
    const listings = ['A', 'B', 'C'].map(text => prepared(designs.new, filled(text)));
    const html = designs.new.html(listings);
    expect(html.match(/class="page /g)).toHaveLength(6);
    expect([...html.matchAll(/class="folio-page">([^<]+)</g)].map(match => match[1])).toEqual(
      [1, 2, 3, 4, 5, 6].map(page => `${page} / 6`),
    );
  });

  it('have the mark of a draft, each once', () => {
    const listing = Listing.parse({ ...required, draft: true });
    const marks = (html: string) => html.match(/class="draft-mark" data-word="Draft"/g)?.length ?? 0;
    expect(marks(designs.new.html([prepared(designs.new, listing)]))).toBe(2);
    expect(marks(designs.classic.html([prepared(designs.classic, listing)]))).toBe(1);
    expect(marks(designs.card.html([prepared(designs.card, listing)]))).toBe(3);
    const covered = designs.new.with({ language: 'en', cover: { for: 'A', note: '' } });
    expect(marks(covered.html([prepared(covered, listing)]))).toBe(3);
    expect(designs.new.html([prepared(designs.new, Listing.parse(required))])).not.toContain('class="draft-mark"');
  });

  it('link the phone, WhatsApp, the e-mail, the map, the permit and the listing', () => {
    const listing = Listing.parse({
      ...required,
      permit_number: '71404938268',
      permit_url: 'https://trakheesi.dubailand.gov.ae/record/SAMPLE1',
      geopoints: '25.1,55.2',
      agent: { name: 'Layla Haddad', phone: '0501234501', email: 'layla@example.com' },
    });
    const html = designs.new.html([prepared(designs.new, listing)]);
    const links = [...html.matchAll(/href="([^"]+)"/g)].map(match => match[1]?.replaceAll('&#x3D;', '='));
    expect(links).toEqual(
      expect.arrayContaining([
        'tel:+971501234501',
        'https://wa.me/971501234501',
        'mailto:layla@example.com',
        'https://www.google.com/maps/search/?api=1&amp;query=25.1,55.2',
        'https://trakheesi.dubailand.gov.ae/record/SAMPLE1',
        'https://meridianpalm.example/homes/R-1',
      ]),
    );
  });

  it('both have the number and the code of the permit', () => {
    const shown = (fields: object) => {
      const listing = Listing.parse({ ...required, ...fields });
      const pages = designs.new
        .html([prepared(designs.new, listing)])
        .split('class="page ')
        .slice(1);
      return pages.map(page => [page.includes('>71404938268<'), page.includes('class="qr-code"')]);
    };
    const permit_url = 'https://trakheesi.dubailand.gov.ae/record/SAMPLE1';
    const [none, number, code] = [
      [false, false],
      [true, false],
      [true, true],
    ];
    expect(shown({})).toEqual([none, none]);
    expect(shown({ permit_number: '71404938268' })).toEqual([number, number]);
    expect(shown({ permit_number: '71404938268', permit_url })).toEqual([code, code]);
  });

  it('show the sample beside the template', async () => {
    const file = new URL('../../../../../templates/pdf/new/sample.json', import.meta.url);
    const { list } = ListingList.parse(JSON.parse(await readFile(file, 'utf8')));
    const html = designs.new.html(list.map(listing => prepared(designs.new, listing, listing.photo.length)));
    for (const { title_en } of list) expect(html).toContain(title_en);
  });
});
