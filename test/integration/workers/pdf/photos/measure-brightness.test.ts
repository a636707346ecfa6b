import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSamples, type Samples } from '../../../../../workers/pdf/gallery/samples.ts';
import { loadDesigns } from '../../../../../workers/pdf/layout/designs.ts';
import { Listing } from '../../../../../workers/pdf/listing.ts';
import { placePhotos } from '../../../../../workers/pdf/listing-photos.ts';
import { measureBrightness } from '../../../../../workers/pdf/photos/measure-brightness.ts';
import { collectedPhotos } from '../../../../support/collected-photos.ts';

let samples: Samples;
beforeAll(async () => {
  samples = await openSamples();
});
afterAll(() => samples?.close());

const shape = { widthPx: 1_600, heightPx: 1_200 };
/** Of the first page. */
const slot = { widthMm: 210, heightMm: 171.45 };

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
  expect(await measureBrightness([{ photo: found, slot }], samples.source)).toEqual(parts);
});

it('of a flat slot is measured wherever it may cut the photo', async () => {
  const photo = await photoOf('#202020', 250, 250);
  const flat = { widthMm: 210, heightMm: 70 };
  expect(await measureBrightness([{ photo, slot }], samples.source)).toEqual({ top: false, bottom: false });
  expect(await measureBrightness([{ photo, slot: flat }], samples.source)).toEqual({ top: true, bottom: true });
});

it('of two photos is that of the brighter one at each place', async () => {
  const photos = await Promise.all([photoOf('#202020', 0, 300), photoOf('#202020', 700, 500)]);
  const shown = photos.map(photo => ({ photo, slot }));
  expect(await measureBrightness(shown, samples.source)).toEqual({ top: true, bottom: true });
});

it('strengthens the shade of the first page', async () => {
  const { new: design } = await loadDesigns();
  const listing = Listing.parse({ reference_number: 'R-1', title_en: 'Home' });
  const white = await photoOf('#ffffff', 0, 1);
  const bright = await measureBrightness([{ photo: white, slot }], samples.source);
  const { prepared } = placePhotos([listing], [collectedPhotos({ fetched: [white], bright })], design);
  expect(design.html(prepared)).toContain('class="shade bright-top bright-bottom"');
});
