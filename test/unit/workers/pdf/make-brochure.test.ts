import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { createGuardedFetch } from '../../../../core/egress/guarded-fetch.ts';
import { loadDesigns } from '../../../../workers/pdf/layout/designs.ts';
import { Listing } from '../../../../workers/pdf/listing.ts';
import { makeBrochure } from '../../../../workers/pdf/make-brochure.ts';
import { openPhotoCache } from '../../../../workers/pdf/photos/photo-cache.ts';
import { collectedPhotos } from '../../../support/collected-photos.ts';
import { jobContext } from '../../../support/job-context.ts';

const url = 'https://photos.example/1.jpg';
const photo = { ok: true, url, hash: 'a'.repeat(64), widthPx: 600, heightPx: 600, freshUntil: 0 } as const;

/** @returns a brochure of so many listings, and the steps of making it: its crop waits, and its printer fails */
async function brochureOf(length: number, cropAfter: (printed: Promise<void>) => Promise<void>) {
  const listings = Array.from({ length }, () => Listing.parse({ reference_number: 'R-1', title_en: 'Villa' }));
  const photos = listings.map(() => collectedPhotos({ fetched: [photo] }));
  const design = (await loadDesigns()).new.with({ language: 'en', cover: false });
  const order = { listings, photos, design, fingerprint: '', maxBytes: undefined, trackedUrls: [] };
  const steps: string[] = [];
  let onPrint = (): void => {};
  const printed = new Promise<void>(resolve => {
    onPrint = resolve;
  });
  const findCrop = async () => {
    await cropAfter(printed);
    steps.push('crop');
    return { hash: '', content: Buffer.alloc(0) };
  };
  const print = async () => {
    steps.push('print');
    onPrint();
    throw new Error('no browser');
  };
  const source = {
    cache: { ...openPhotoCache(path.join(tmpdir(), 'unused')), findCrop },
    fetcher: createGuardedFetch(),
  };
  const context = { ...jobContext(), report: (stage: string) => void steps.push(stage) };
  const sources = { printer: { print }, photos: source };
  const make = () => makeBrochure({ ...order, quality: 'screen' }, sources, context, pdf => buffer(pdf));
  return { make, steps };
}

it('prints a short list while its photos are cropped, and reports the stages in their order', async () => {
  const { make, steps } = await brochureOf(1, printed => printed);
  await expect(make()).rejects.toThrow('no browser');
  expect(steps).toEqual(['fitting', 'print', 'crop', 'fitting', 'layout']);
});

it('prints a long list when its photos are cropped', async () => {
  const { make, steps } = await brochureOf(4, async () => {});
  await expect(make()).rejects.toThrow('no browser');
  expect(steps).toEqual(['fitting', 'crop', 'fitting', 'layout', 'print']);
});

it('prints two parts of a long list at once, and no more of them when one fails', async () => {
  const { make, steps } = await brochureOf(100, async () => {});
  await expect(make()).rejects.toThrow('no browser');
  expect(steps.filter(step => step === 'print')).toHaveLength(2);
});
