/** The browser prints grey placeholders; the PDF gets the photos. */
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { sha256 } from '../../../../../workers/pdf/photos/atomic-file.ts';
import {
  createPlaceholders,
  type PhotoAsset,
  photoReplacement,
} from '../../../../../workers/pdf/print/placeholders.ts';
import { finishPdf } from '../../../../support/finish-pdf.ts';
import { documentOf, origin, testPrinter } from '../../../../support/printing.ts';

const properties = {
  title: 'Two homes',
  author: 'Agency',
  subject: 'Homes',
  creator: 'Portal Service',
  language: 'en',
  fingerprint: 'one',
};

async function photo(width: number, height: number, sigma: number): Promise<PhotoAsset> {
  const noise = { type: 'gaussian', mean: 128, sigma } as const;
  const body = await sharp({ create: { width, height, channels: 3, noise, background: 'grey' } })
    .jpeg({ quality: 75 })
    .toBuffer();
  return {
    body,
    contentType: 'image/jpeg',
    hash: sha256(body),
    widthPx: width,
    heightPx: height,
  };
}

it('the file has the same bytes as a print of the photos themselves', async () => {
  const photos = new Map<string, PhotoAsset>();
  // Powers of two, because Chromium rounds positions differently for other sizes (471.875, 471.87503).
  for (const [index, [width, height]] of [[512, 256] as const, [256, 256] as const, [512, 256] as const].entries())
    photos.set(`${origin}/${index}.jpg`, await photo(width, height, 20 + index));
  // The first is shown twice, but is in the file once.
  const shown = [...photos.keys(), `${origin}/0.jpg`];
  const html = documentOf(shown.map(url => `<img src="${url}" alt="" style="width:60mm;height:40mm">`).join(''));
  const printer = await testPrinter({ pages: 1 });
  const print = async (assets: ReadonlyMap<string, { body: Buffer; contentType: string }>) =>
    (await printer.print({ html, assets: new Map(assets), signal: AbortSignal.timeout(60_000) })).pdf;
  const printed = await print(photos);
  const replacements = new Map([...photos].map(([url, each]) => [url, photoReplacement(each)]));
  const small = await print(await createPlaceholders(replacements));
  await printer.close();

  const byHash = new Map([...replacements.values()].map(replacement => [replacement.hash, replacement]));
  const finished = Buffer.concat(finishPdf(small, properties, byHash));
  expect(small.length).toBeLessThan(printed.length / 2);
  expect(finished.equals(Buffer.concat(finishPdf(printed, properties)))).toBe(true);
  for (const { body } of photos.values()) expect(finished.includes(body)).toBe(true);
});

it('finishPdf throws when the placeholder of a photo is missing', async () => {
  const lost = await photo(100, 100, 20);
  const printer = await testPrinter({ pages: 1 });
  const { pdf } = await printer.print({
    html: documentOf('<h1>Home</h1>'),
    assets: new Map(),
    signal: AbortSignal.timeout(60_000),
  });
  await printer.close();
  expect(() => finishPdf(pdf, properties, new Map([[lost.hash, photoReplacement(lost)]]))).toThrow(
    'The print lacks the placeholders of 1 photos.',
  );
});

it('text that equals the name of a placeholder is unchanged', async () => {
  const shown = await photo(256, 256, 20);
  const replacement = photoReplacement(shown);
  const url = `${origin}/0.jpg`;
  const words = `portal:${shown.hash}`;
  const printer = await testPrinter({ pages: 1 });
  const { pdf } = await printer.print({
    html: documentOf(`<h1><a href="https://example.com/${words}">${words}</a></h1><img src="${url}" alt="${words}">`),
    assets: await createPlaceholders(new Map([[url, replacement]])),
    signal: AbortSignal.timeout(60_000),
  });
  await printer.close();
  const linkTexts = new Map([[`https://example.com/${words}`, 'Home']]);
  const finished = Buffer.concat(finishPdf(pdf, properties, new Map([[replacement.hash, replacement]]), linkTexts));
  expect(finished.includes(shown.body)).toBe(true);
  expect(finished.toString('latin1').split(words).length).toBe(pdf.toString('latin1').split(words).length - 1);
  expect(finished.length).toBeLessThan(pdf.length + shown.body.length + 5_000);
});
