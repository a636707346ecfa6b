import { beforeAll, describe, expect, it } from 'vitest';
import { classicDesign, compileMjml } from '../../../../../workers/pdf/layout/classic-design.ts';
import type { Design } from '../../../../../workers/pdf/layout/design.ts';
import { loadDesigns } from '../../../../../workers/pdf/layout/designs.ts';
import type { PhotoShape } from '../../../../../workers/pdf/layout/photo-slot.ts';
import type { PreparedListing } from '../../../../../workers/pdf/layout/view/listing.ts';
import { Listing } from '../../../../../workers/pdf/listing.ts';

const folder = new URL('../../../../../templates/pdf/classic/', import.meta.url);

const shapes: Record<string, PhotoShape> = {
  L: { widthPx: 1920, heightPx: 1280 },
  P: { widthPx: 1280, heightPx: 1920 },
  s: { widthPx: 400, heightPx: 300 },
};

const plain = Listing.parse({ reference_number: 'R-1', title_en: 'Home' });

/** "LLP" is two landscapes and a portrait. */
const photosOf = (letters: string) => [...letters].map(letter => shapes[letter] ?? { widthPx: 0, heightPx: 0 });

describe('the compiled template', () => {
  it('contains nothing of MJML’s wrappers and web fonts', async () => {
    const source = await classicDesign.source(folder);
    expect(source).toContain('{{#each listings}}');
    expect(source).not.toMatch(/<mj-|mj-column|mj-outlook|\[if |<!--|mso-|schemas-microsoft|aria-roledescription/);
    expect(source).not.toMatch(/fonts\.googleapis|@import|<link|<script/);
  });

  it('throws for invalid MJML', async () => {
    const invalid = '<mjml><mj-body><mj-text colour="red">Text outside a column</mj-text></mj-body></mjml>';
    await expect(compileMjml(invalid)).rejects.toThrow(/mj-text/);
  });
});

const required = { reference_number: 'REF-7', title_en: 'Villa by the sea' };

const complete = {
  ...required,
  permit_number: '71400000000',
  permit_url: 'https://trakheesi.dubailand.gov.ae/record?token=SAMPLE1',
  completion_status: 'Ready',
  purpose: 'Sale',
  property_type: 'Villa',
  price: '12500000',
  city: 'Dubai',
  community: 'Palm Jumeirah',
  description_en: 'A villa.\n\nKey features:\n- Pool\n- Garden',
  size: '7450.40',
  bathroom: '7',
  bedroom: '5',
  parking: '4',
  agent: { name: 'Layla Haddad', email: 'layla@example.com', phone: '+971501234501', brn_number: '54821' },
  amenities: 'Pool, Garden, Gym',
  furnished: 'Yes',
  views: 'Sea view',
  geopoints: '25.1,55.2',
};

function prepared(fields: object, letters = 'LLLLLL', missing = 0): PreparedListing {
  const photos = classicDesign.arrange(photosOf(letters), missing, plain).map(({ slot, photo }) => ({
    slot,
    src: photo === null ? null : `https://brochure.invalid/photos/${photo}.jpg`,
  }));
  return { listing: Listing.parse(fields), photos, agentPhoto: null };
}

let classic: Design;
/** The document without its style sheet. */
const bodyOf = (...listings: PreparedListing[]) => classic.html(listings).replace(/<style>[\s\S]*?<\/style>/, '');
const count = (html: string, pattern: RegExp) => html.match(pattern)?.length ?? 0;

/** Text of missing values, links without a target, and elements without content. */
const gapsIn = (html: string) =>
  html.match(/undefined|null|NaN|\[object.*|(?:href|src)=""|<(p|h[1-3]|dt|dd|dl|small|ul|a)(?: [^>]*)?>\s*<\/\1>/g) ??
  [];

describe('a classic document', () => {
  beforeAll(async () => {
    ({ classic } = await loadDesigns());
  });

  it('has one page and one h1 per listing', () => {
    const html = bodyOf(prepared(complete), prepared(required, ''), prepared(complete, 'L'));
    expect(count(html, /<article class="page/g)).toBe(3);
    expect(count(html, /<h1 /g)).toBe(3);
    expect(html).toContain('Page 3 of 3');
  });

  it('is the same for the same listings', () => {
    expect(bodyOf(prepared(complete))).toBe(bodyOf(prepared(complete)));
  });

  it('links phone, e-mail, WhatsApp, map, permit and listing', () => {
    const html = bodyOf(prepared(complete));
    for (const target of ['tel:+971501234501', 'mailto:layla@example.com', 'https://wa.me/971501234501']) {
      expect(html).toContain(`href="${target}"`);
    }
    expect(html).toMatch(/href="https:\/\/www\.google\.com\/maps/);
    expect(html).toMatch(/href="https:\/\/trakheesi\.dubailand\.gov\.ae\/record\?token[^"]*SAMPLE1"/);
    expect(html).toMatch(/href="https:[^"]*REF-7"/);
  });

  it('gives every photo an alternative text and its size, and does not crop it', () => {
    const images = bodyOf(prepared(complete)).match(/<img [^>]*>/g) ?? [];
    expect(images).toHaveLength(6);
    for (const image of images) expect(image).toMatch(/alt="[^"]+" style="width:[\d.]+mm;height:[\d.]+mm"/);
    expect(classic.html([prepared(complete)])).not.toMatch(/object-fit|background-size/);
  });

  it('has no gap for a missing field of the listing or its agent', () => {
    for (const field of Object.keys(complete).filter(name => !(name in required))) {
      const fields = { ...complete, [field]: field === 'agent' ? null : '' };
      expect(gapsIn(bodyOf(prepared(fields))), field).toEqual([]);
    }
    for (const part of Object.keys(complete.agent))
      expect(gapsIn(bodyOf(prepared({ ...complete, agent: { ...complete.agent, [part]: '' } }))), part).toEqual([]);
  });

  it.each(['', 'L', 'LLL', 's'])('has no gaps with only the required fields and the photos "%s"', letters => {
    const html = bodyOf(prepared(required, letters), prepared(required, letters, 1));
    expect(gapsIn(html)).toEqual([]);
    expect(html).not.toMatch(/<h2>|class="facts|class="code"/);
  });

  it('escapes markup, template expressions and quotes in a listing', () => {
    const hostile = `<script>alert(1)</script><img src=x onerror=y>{{title}}{{{brand}}}"'&`;
    const fields = Object.fromEntries(
      Object.entries(complete).map(([field, value]) => [
        field,
        typeof value === 'string' ? `${value} ${hostile}` : value,
      ]),
    );
    const agent = { name: hostile, email: hostile, phone: hostile, brn_number: hostile };
    const html = bodyOf(prepared({ ...fields, agent }));
    expect(html).not.toMatch(/<script|<img src=x|onerror=y[^&]*>[^&]*<img|="[^"]*<img/);
    expect(html).toContain('{{title}}{{{brand}}}&quot;&#x27;&amp;');
    expect(count(html, /<img /g)).toBe(6);
  });
});
