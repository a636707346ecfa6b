import { readFile } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSamples, type Samples } from '../../../../../workers/pdf/gallery/samples.ts';
import { loadDesigns } from '../../../../../workers/pdf/layout/designs.ts';
import { Listing } from '../../../../../workers/pdf/listing.ts';
import { placePhotos } from '../../../../../workers/pdf/listing-photos.ts';
import { measureBrightness } from '../../../../../workers/pdf/photos/measure-brightness.ts';

let samples: Samples;
beforeAll(async () => {
  samples = await openSamples();
});
afterAll(() => samples?.close());

const shape = { widthPx: 1_600, heightPx: 1_200 };

/** A photo with a white upper or lower part, or none. */
async function photoOf(colour: string, whiteTop: number, whiteHeight: number) {
  const { widthPx: width, heightPx: height } = shape;
  const white = { create: { width, height: Math.max(1, whiteHeight), channels: 3 as const, background: '#fdfdfb' } };
  const bytes = await sharp({ create: { width, height, channels: 3, background: colour } })
    .composite([{ input: await sharp(white).png().toBuffer(), left: 0, top: whiteTop }])
    .jpeg()
    .toBuffer();
  const url = `https://photos.example/${colour}-${whiteTop}-${whiteHeight}`;
  return { ok: true as const, url, ...(await samples.source.cache.store(url, bytes, shape, 60_000)) };
}

it.each([
  ['a dark photo', ['#202020', 0, 1], { top: false, bottom: false }],
  ['a white sky', ['#202020', 0, 300], { top: true, bottom: false }],
  ['a white floor', ['#202020', 700, 500], { top: false, bottom: true }],
  ['a white photo', ['#ffffff', 0, 1], { top: true, bottom: true }],
] as const)('of %s is measured where words are printed', async (_, [colour, whiteTop, whiteHeight], parts) => {
  const found = await photoOf(colour, whiteTop, whiteHeight);
  expect(await measureBrightness(found, samples.source)).toEqual(parts);
});

it('strengthens the shade of the first page', async () => {
  const { new: design } = await loadDesigns();
  const listing = Listing.parse({ reference_number: 'R-1', title_en: 'Home' });
  const white = await photoOf('#ffffff', 0, 1);
  const bright = await measureBrightness(white, samples.source);
  const { prepared } = placePhotos(
    [listing],
    [{ fetched: [white], missing: 0, hasMore: false, agent: undefined, plans: [], map: undefined, bright }],
    design,
  );
  expect(design.html(prepared)).toContain('class="shade bright-top bright-bottom"');
});

it('gives white words on a white photo a contrast of 4.5 or more', async () => {
  const styles = await readFile(
    path.resolve(import.meta.dirname, '../../../../../templates/pdf/new/styles.css'),
    'utf8',
  );
  const shares = [...styles.matchAll(/^\.bright-(?:top|bottom) \{.*\}$/gm)].flatMap(([rule]) =>
    [...rule.matchAll(/var\(--ink\) (\d+)%/g)].map(([, share]) => Number(share) / 100),
  );
  const ink = [0x12, 0x31, 0x2e];
  const linear = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  const [red = 0, green = 0, blue = 0] = ink.map(part => linear(1 - Math.min(...shares) * (1 - part / 255)));
  expect(1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05)).toBeGreaterThanOrEqual(4.5);
});
