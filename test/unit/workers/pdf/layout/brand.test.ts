import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { Brand, loadBrand } from '../../../../../workers/pdf/layout/brand.ts';

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
    ['an unknown member', { slogan: 'x' }],
    ['an empty licence', { licence: '' }],
  ])('is rejected with %s', (_, change) => {
    expect(Brand.safeParse({ ...brand, ...change }).success).toBe(false);
  });

  it('needs no permit URL and no listing URL', () => {
    const { permitUrl, listingUrl, ...rest } = brand;
    expect(Brand.parse(rest)).toEqual(rest);
  });
});
