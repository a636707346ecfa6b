import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { extractFontFaces, neededFaces } from '../../../../../workers/pdf/print/document-assets.ts';

const styles = await readFile(
  new URL('../../../../../templates/pdf/fonts/fonts.css', import.meta.url),
  'utf8',
);
const urls = [...styles.matchAll(/url\("([^"]+)"/g)].map(([, url = '']) => url);
const fontOf = (url: string) => ({ body: Buffer.from(url), contentType: 'font/woff2' });
const assets = new Map(urls.map(url => [url, fontOf(url)]));
const own = 'https://brochure.invalid/f.woff2';
const ownAssets = new Map([[own, fontOf(own)]]);

/** The fonts that a text in the styles of both designs needs, by the names of their files. */
function needed(text: string): string[] {
  const { html, faces } = extractFontFaces(`<style>${styles}</style><p>${text}</p>`, assets);
  return neededFaces(html, faces).map(({ font }) => font.body.toString().split('/').at(-1) ?? '');
}

it('every face of the designs is taken out of the document, with what it says of itself', () => {
  const { html, faces } = extractFontFaces(`<style>${styles}</style><p>Text</p>`, assets);
  expect(html).not.toContain('@font-face');
  expect(html).toContain('<p>Text</p>');
  expect(faces).toHaveLength(urls.length);
  expect(faces).toContainEqual(
    expect.objectContaining({
      family: 'Cormorant Garamond',
      descriptors: { weight: '600', unicodeRange: expect.stringMatching(/^U\+0000-00FF,/) },
    }),
  );
});

it('a face whose font was not given stays, for the browser to refuse', () => {
  const rule = `@font-face { font-family: F; src: url(${own}); }`;
  expect(extractFontFaces(`<style>${rule}</style>`, new Map())).toEqual({
    html: `<style>${rule}</style>`,
    faces: [],
  });
});

it('a text that looks like a face is a text', () => {
  const rule = `@font-face { font-family: Manrope; src: url(${own}); }`;
  const document = `<title>${rule}</title><style></style><p>${rule}</p>`;
  expect(extractFontFaces(document, ownAssets)).toEqual({ html: document, faces: [] });
});

it('an English document needs the Latin fonts only', () => {
  const names = needed('Two bedrooms over the marina – AED 2,450,000');
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
])('%s needs the font that has it', (text, font) => {
  expect(needed(text).some(name => font.test(name))).toBe(true);
});

it('a face without a range is for every character', () => {
  const rule = `@font-face { font-family: "A B"; font-style: italic; src: url(${own}); }`;
  const { html, faces } = extractFontFaces(`<style>${rule}</style>`, ownAssets);
  expect(neededFaces(html, faces)).toHaveLength(1);
  expect(faces[0]).toMatchObject({ family: 'A B', descriptors: { style: 'italic' } });
});

it('of two faces of one font, the one that is asked for is needed', () => {
  const face = (range: string) => `@font-face { font-family: F; src: url(${own}); unicode-range: ${range}; }`;
  const document = `<style>${face('U+600-6FF')} ${face('U+4??')}</style><p>Ж</p>`;
  const { html, faces } = extractFontFaces(document, ownAssets);
  expect(neededFaces(html, faces).map(({ descriptors }) => descriptors.unicodeRange)).toEqual(['U+4??']);
});
