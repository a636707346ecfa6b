/**
 * Measures the shortest time to print three photos that the browser embeds, crops or re-encodes. Baseline: placeholders, as
 * the service prints them, which it replaces by its own crops. The ways alternate, so that other load affects all of them.
 */
import { join } from 'node:path';
import { pino } from 'pino';
import sharp from 'sharp';
import { sha256 } from '../workers/pdf/photos/atomic-file.ts';
import { findBrowser } from '../workers/pdf/print/find-browser.ts';
import { createPlaceholders, photoReplacement } from '../workers/pdf/print/placeholders.ts';
import { openPrinter, type PrintRequest } from '../workers/pdf/print/printer.ts';
import { figure } from './support/results.ts';

type Way = Pick<PrintRequest, 'html' | 'assets'>;

const rounds = 20;
const urls = Array.from({ length: 3 }, (_, photo) => `https://brochure.invalid/photo.jpg?${photo}`);
const size = { widthPx: 1240, heightPx: 709 };

/** As detailed as a photo; a plain colour would be fast in every way. */
const noise = (width: number, height: number) =>
  sharp({
    create: {
      width,
      height,
      channels: 3,
      background: 'grey',
      noise: { type: 'gaussian', mean: 128, sigma: 40 },
    },
  });
const pageOf = (style: string) => {
  const photos = urls.map(
    url => `<h1>Home</h1><img src="${url}" alt="" style="width: 210mm; height: 120mm; ${style}">`,
  );
  return `<!doctype html><html lang="en"><style>@page { size: A4; margin: 0 }</style>${photos.join('')}`;
};
const shown = (body: Buffer, contentType: string) =>
  new Map(urls.map(url => [url, { ...size, hash: sha256(url), body, contentType }]));

const crop = shown(await noise(size.widthPx, size.heightPx).jpeg({ quality: 75 }).toBuffer(), 'image/jpeg');
const whole = shown(await noise(1920, 1280).jpeg({ quality: 75 }).toBuffer(), 'image/jpeg');
const webp = shown(await noise(size.widthPx, size.heightPx).webp({ quality: 75 }).toBuffer(), 'image/webp');
const replacements = [...crop].map(([url, photo]) => [url, photoReplacement(photo)] as const);

const ways: Readonly<Record<string, Way>> = {
  placeholders: { html: pageOf(''), assets: await createPlaceholders(new Map(replacements)) },
  'crops that the browser embeds': { html: pageOf(''), assets: crop },
  'whole photos that it crops': { html: pageOf('object-fit: cover'), assets: whole },
  'WebP that it re-encodes': { html: pageOf(''), assets: webp },
};

const browser = await findBrowser({}, { cacheFolder: join(import.meta.dirname, '..', '.data', 'browser') });
const printer = await openPrinter({ browser, fit: () => [], logger: pino({ level: 'error' }), pages: 1 });
const shortest = new Map<string, number>();
for (let round = 0; round < rounds; round++) {
  for (const [name, way] of Object.entries(ways)) {
    const startedAt = performance.now();
    await printer.print({ ...way, signal: AbortSignal.timeout(60_000) });
    shortest.set(name, Math.min(shortest.get(name) ?? Number.POSITIVE_INFINITY, performance.now() - startedAt));
  }
}
await printer.close();
const baseline = shortest.get('placeholders') ?? Number.NaN;
for (const [name, ms] of shortest) figure(name, ms, 'ms', { baseline });
