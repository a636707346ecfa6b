import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { extractFontFaces, inlineAssets, neededFaces } from '../../../../../workers/pdf/print/document-assets.ts';

describe('inlineAssets', () => {
  const url = 'https://brochure.invalid/photos/1.jpg';
  const assets = new Map([[url, { body: Buffer.from('photo'), contentType: 'image/jpeg' }]]);

  it('replaces the URL of an asset by a data URL', () => {
    expect(inlineAssets(`<img src="${url}" alt="">`, assets)).toBe(
      '<img src="data:image/jpeg;base64,cGhvdG8=" alt="">',
    );
  });

  it('leaves a URL without an asset as it is', () => {
    const html = '<img src="https://elsewhere.example/1.jpg">';
    expect(inlineAssets(html, assets)).toBe(html);
  });

  it.each([url, `url(${url})`, `src=${url}`, `src=&quot;${url}&quot;`])('ignores text with the URL: %s', text => {
    expect(inlineAssets(`<p> ${text} </p>`, assets)).toBe(`<p> ${text} </p>`);
  });
});

describe('font faces', () => {
  const styles = readFileSync(new URL('../../../../../templates/pdf/fonts/fonts.css', import.meta.url), 'utf8');
  const urls = [...styles.matchAll(/url\("([^"]+)"/g)].map(([, url = '']) => url);
  const fontOf = (url: string) => ({ body: Buffer.from(url), contentType: 'font/woff2' });
  const assets = new Map(urls.map(url => [url, fontOf(url)]));
  const own = 'https://brochure.invalid/f.woff2';
  const ownAssets = new Map([[own, fontOf(own)]]);

  /** The file names of the fonts that a text needs with the styles of both designs. */
  function needed(text: string): string[] {
    const { html, faces } = extractFontFaces(`<style>${styles}</style><p>${text}</p>`, assets);
    return neededFaces(html, faces).map(({ font }) => font.body.toString().split('/').at(-1) ?? '');
  }

  it('extracts every font face of the designs with its descriptors', () => {
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

  it('leaves a face without an asset in the document', () => {
    const rule = `@font-face { font-family: F; src: url(${own}); }`;
    expect(extractFontFaces(`<style>${rule}</style>`, new Map())).toEqual({
      html: `<style>${rule}</style>`,
      faces: [],
    });
  });

  it('ignores text that has the form of a font face', () => {
    const rule = `@font-face { font-family: Manrope; src: url(${own}); }`;
    const document = `<title>${rule}</title><style></style><p>${rule}</p>`;
    expect(extractFontFaces(document, ownAssets)).toEqual({ html: document, faces: [] });
  });

  it('needs only Latin fonts for an English document', () => {
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
  ])('needs for %s the font that contains it', (text, font) => {
    expect(needed(text).some(name => font.test(name))).toBe(true);
  });

  it('needs a face without a range for every character', () => {
    const rule = `@font-face { font-family: "A B"; font-style: italic; src: url(${own}); }`;
    const { html, faces } = extractFontFaces(`<style>${rule}</style>`, ownAssets);
    expect(neededFaces(html, faces)).toHaveLength(1);
    expect(faces[0]).toMatchObject({ family: 'A B', descriptors: { style: 'italic' } });
  });

  it('needs only the face whose range contains a character, of two faces of one font', () => {
    const face = (range: string) => `@font-face { font-family: F; src: url(${own}); unicode-range: ${range}; }`;
    const document = `<style>${face('U+600-6FF')} ${face('U+4??')}</style><p>Ж</p>`;
    const { html, faces } = extractFontFaces(document, ownAssets);
    expect(neededFaces(html, faces).map(({ descriptors }) => descriptors.unicodeRange)).toEqual(['U+4??']);
  });
});
