import { expect, it } from 'vitest';
import { inlineAssets } from '../../../../../workers/pdf/print/document-assets.ts';

const url = 'https://brochure.invalid/photos/1.jpg';
const assets = new Map([[url, { body: Buffer.from('photo'), contentType: 'image/jpeg' }]]);

it('a picture that was given is put into the document', () => {
  expect(inlineAssets(`<img src="${url}" alt="">`, assets)).toBe(
    '<img src="data:image/jpeg;base64,cGhvdG8=" alt="">',
  );
});

it('one that was not given stays, for the browser to refuse', () => {
  const html = '<img src="https://elsewhere.example/1.jpg">';
  expect(inlineAssets(html, assets)).toBe(html);
});

it.each([url, `url(${url})`, `src=${url}`, `src=&quot;${url}&quot;`])(
  'a text that names it (%s) is a text',
  text => {
    expect(inlineAssets(`<p> ${text} </p>`, assets)).toBe(`<p> ${text} </p>`);
  },
);
