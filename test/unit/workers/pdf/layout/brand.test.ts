import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { Brand, loadBrand, viewOfBrand } from '../../../../../workers/pdf/layout/brand.ts';
import { labelsOf } from '../../../../../workers/pdf/layout/labels.ts';

const file = new URL('../../../../../templates/brand.json', import.meta.url);
const stored: unknown = JSON.parse(await readFile(file, 'utf8'));
const brand = Brand.parse(stored);

/** WCAG 2.2, contrast ratio of two sRGB colours. */
function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(at => {
    const channel = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

describe('a brand', () => {
  const { ink, accent, tint } = brand.colours;

  it.each([
    ['ink on white', ink, '#ffffff'],
    ['ink on the tint', ink, tint],
    ['accent on white', accent, '#ffffff'],
    ['accent on the tint', accent, tint],
    ['text on the tint', '#262626', tint],
    ['secondary text on the tint', '#5b5b5b', tint],
  ])('has a contrast of at least 4.5 to 1: %s', (_, text, background) => {
    expect(contrast(text, background)).toBeGreaterThanOrEqual(4.5);
  });

  it('has a logo in currentColor', async () => {
    const { mark } = await loadBrand(file);
    expect(mark).toMatch(/^<svg [^>]*viewBox=/);
    expect(mark).toContain('currentColor');
  });

  it.each([
    ['an invalid colour', { colours: { ink: 'red', accent, tint } }],
    ['a permit URL without {permit}', { permitUrl: 'https://permits.example/' }],
    ['a permit URL that is not https', { permitUrl: 'http://permits.example/{permit}' }],
    ['a host of permits with a scheme', { permitHosts: ['https://dubailand.gov.ae'] }],
    ['a licence number with words', { licenceNumber: 'ORN 12345' }],
    ['an unknown member', { slogan: 'x' }],
    ['an empty licence', { licence: '' }],
  ])('is rejected with %s', (_, change) => {
    expect(Brand.safeParse({ ...brand, ...change }).success).toBe(false);
  });

  it('needs no permit URL and no listing URL', () => {
    const { permitUrl, listingUrl, ...rest } = brand;
    expect(Brand.parse(rest)).toEqual(rest);
  });

  it('without a list of hosts has those of Dubai’s and Abu Dhabi’s regulators', () => {
    const { permitHosts, ...rest } = brand;
    expect(Brand.parse(rest).permitHosts).toEqual(['dubailand.gov.ae', 'dari.ae']);
  });

  it.each([
    ['a colour of three digits', { colours: { ink: '#123', accent, tint } }],
    ['text around a colour', { colours: { ink: ' #12312E', accent, tint } }],
    ['text after a colour', { colours: { ink: '#12312E7', accent, tint } }],
    ['a listing URL without {reference}', { listingUrl: 'https://homes.example/' }],
    ['a website that is not https', { contact: { ...brand.contact, website: 'http://homes.example' } }],
    ['a website of another protocol', { contact: { ...brand.contact, website: 'shttps://homes.example' } }],
    ['a website of a longer protocol', { contact: { ...brand.contact, website: 'httpsx://homes.example' } }],
    ['a permit URL of another protocol', { permitUrl: 'shttps://permits.example/{permit}' }],
    ['a permit URL of a longer protocol', { permitUrl: 'httpsx://permits.example/{permit}' }],
    ['an invalid phone number', { contact: { ...brand.contact, phone: '12' } }],
    ['an invalid e-mail address', { contact: { ...brand.contact, email: 'homes.example' } }],
    ['an unknown contact', { contact: { ...brand.contact, fax: '1' } }],
    ['an unknown colour', { colours: { ...brand.colours, paper: '#ffffff' } }],
    ['an empty name', { name: '' }],
    ['an unknown Arabic text', { arabic: { name: 'x' } }],
  ])('is also rejected with %s', (_, change) => {
    expect(Brand.safeParse({ ...brand, ...change }).success).toBe(false);
  });

  it('may have some Arabic texts', () => {
    expect(Brand.parse({ ...brand, arabic: { tagline: 'منازل' } }).arabic).toEqual({ tagline: 'منازل' });
  });
});

describe('a brand on the pages', () => {
  const given = Brand.parse({
    ...brand,
    colours: { ink: '#12312E', accent: '#8A5A2B', tint: '#F4EFE6' },
    contact: {
      phone: '+97145550140',
      email: 'a@homes.example',
      website: 'https://homes.example:8443/start',
      address: 'Dubai',
    },
    tagline: 'Homes',
    disclaimer: 'Subject to change.',
    arabic: { tagline: 'منازل' },
  });
  const view = (language: 'en' | 'ar' | 'both', change: Partial<Brand> = {}) =>
    viewOfBrand({ brand: { ...given, ...change }, mark: '<svg viewBox="0 0 1 1"></svg>' }, labelsOf(language));

  it('has its contacts with links', () => {
    expect(view('en')).toMatchObject({
      name: brand.name,
      address: 'Dubai',
      licence: brand.licence,
      phone: { text: '+971 4 555 0140', href: 'tel:+97145550140' },
      email: { text: 'a@homes.example', href: 'mailto:a@homes.example' },
      website: { text: 'homes.example:8443', href: 'https://homes.example:8443/start' },
    });
  });

  it.each([{ phone: '12' }, { email: 'homes.example' }])(
    'needs contacts that can be called and written to: %j',
    contact =>
      expect(() => view('en', { contact: { ...given.contact, ...contact } })).toThrow(
        'invalid phone or e-mail address',
      ),
  );

  it('has its logo in the colour of the text, in white, ink and accent, and lines of a pale ink', () => {
    const mark = (colour: string) => `<svg class="brand-mark" color="${colour}" viewBox="0 0 1 1"></svg>`;
    expect(view('en')).toMatchObject({
      mark: '<svg viewBox="0 0 1 1"></svg>',
      whiteMark: mark('#FFFFFF'),
      inkMark: mark('#12312E'),
      accentMark: mark('#8A5A2B'),
      accent: '#8A5A2B',
      rule: '#d4dad9',
    });
    expect(view('en', { colours: { ink: '#000000', accent: '#000000', tint: '#ffffff' } }).rule).toBe('#d1d1d1');
    expect(view('en', { colours: { ink: '#ffffff', accent: '#000000', tint: '#ffffff' } }).rule).toBe('#ffffff');
  });

  it('has Arabic texts on Arabic pages, where it has them', () => {
    expect(view('ar')).toMatchObject({ tagline: 'منازل', disclaimer: 'Subject to change.' });
    expect(view('ar', { arabic: undefined })).toMatchObject({ tagline: 'Homes' });
    expect(view('en')).toMatchObject({ tagline: 'Homes' });
    expect(view('both')).toMatchObject({ tagline: 'Homes', disclaimerArabic: '' });
  });

  it('has both disclaimers on pages in both languages', () => {
    const arabic = { disclaimer: 'قابل للتغيير.' };
    expect(view('both', { arabic })).toMatchObject({
      disclaimer: 'Subject to change.',
      disclaimerArabic: arabic.disclaimer,
    });
    expect(view('ar', { arabic })).toMatchObject({ disclaimer: arabic.disclaimer, disclaimerArabic: '' });
  });

  it('has the logo of its file, without what is before the drawing', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'brand-'));
    try {
      await writeFile(path.join(folder, 'brand.json'), JSON.stringify({ ...given, logo: 'logo.svg' }));
      await writeFile(path.join(folder, 'logo.svg'), '<?xml version="1.0"?>\n<!-- x --><svg id="a"></svg>\n');
      const loaded = await loadBrand(pathToFileURL(path.join(folder, 'brand.json')));
      expect(loaded).toEqual({ brand: { ...given, logo: 'logo.svg' }, mark: '<svg id="a"></svg>' });
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
