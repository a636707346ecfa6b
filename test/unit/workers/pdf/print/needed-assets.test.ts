import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { neededAssets } from '../../../../../workers/pdf/print/needed-assets.ts';

const styles = await readFile(
  new URL('../../../../../templates/pdf/fonts/fonts.css', import.meta.url),
  'utf8',
);
const urls = [...styles.matchAll(/url\("([^"]+)"/g)].map(([, url = '']) => url);
const asset = { body: Buffer.from('font'), contentType: 'font/woff2' };
const photo = 'https://brochure.invalid/photos/1.jpg';
const assets = new Map([photo, ...urls].map(url => [url, asset]));

const packed = (text: string): string[] =>
  neededAssets(`<style>${styles}</style><p>${text}</p>`, assets).map(([url]) => url.split('/').at(-1) ?? '');

it('an English document takes the Latin fonts and every photo', () => {
  const names = packed('Two bedrooms over the marina – AED 2,450,000');
  expect(names).toContain('1.jpg');
  expect(names).toContain('manrope-latin-400.woff2');
  expect(names.filter(name => /arabic|emoji|cyrillic|math|symbols/.test(name))).toEqual([]);
});

it.each([
  ['فيلا', /arabic/],
  ['🏡', /emoji/],
  ['Марина', /cyrillic/],
  ['Łódź', /latin-ext/],
  ['∞', /math/],
  ['➤', /symbols/],
])('%s takes the font that has it', (text, font) => {
  expect(packed(text).some(name => font.test(name))).toBe(true);
});

it('a face without a range is for every character', () => {
  const html = '<style>@font-face { font-family: F; src: url(https://brochure.invalid/f.woff2); }</style>';
  expect(neededAssets(html, new Map([['https://brochure.invalid/f.woff2', asset]]))).toHaveLength(1);
});

it('a font of two faces is taken when either is asked for', () => {
  const face = (range: string) =>
    `@font-face { font-family: F; src: url(https://brochure.invalid/f.woff2); unicode-range: ${range}; }`;
  const html = `<style>${face('U+600-6FF')} ${face('U+4??')}</style><p>Ж</p>`;
  expect(neededAssets(html, new Map([['https://brochure.invalid/f.woff2', asset]]))).toHaveLength(1);
});
