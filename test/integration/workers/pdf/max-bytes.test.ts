/** PDFs for chat and mail services that limit the size of a file. */
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JobResource } from '../../../../core/jobs/resource.ts';
import { type BrochureService, startBrochureService } from '../../../support/brochure-service.ts';

let brochures: BrochureService;
let whole: JobResource;

const noisyPhoto = sharp({
  create: {
    width: 1600,
    height: 1067,
    channels: 3,
    background: 'grey',
    noise: { type: 'gaussian', mean: 128, sigma: 30 },
  },
});

beforeAll(async () => {
  brochures = await startBrochureService('max-bytes', await noisyPhoto.jpeg({ quality: 85 }).toBuffer());
  whole = await make();
});
afterAll(() => brochures?.close());

const listing = (number = 1) => ({
  reference_number: `R-${number}`,
  title_en: 'Beachfront villa',
  photo: [1, 2, 3, 4].map(number => brochures.photos.photo(number)),
});

async function make(maxBytes?: number, list = [listing()]): Promise<JobResource> {
  const body = { list, ...(maxBytes !== undefined && { maxBytes }) };
  const job = await brochures.client.requestJob('POST', '/apps/portal/v1/pdf-new', {
    body,
    headers: { prefer: 'wait=150' },
  });
  expect(job, JSON.stringify(job.error)).toMatchObject({ state: 'succeeded' });
  return job;
}

const bytesOf = ({ result }: JobResource): number => Number(Object(result).bytes);

it('keeps print quality when the PDF fits', async () => {
  // Other requests have other identifiers, whose compressed size differs by a few bytes.
  const maxBytes = bytesOf(whole) + 500;
  const job = await make(maxBytes);
  expect(job.result).toMatchObject({ photos: { printed: 4 } });
  expect(Math.abs(bytesOf(job) - bytesOf(whole))).toBeLessThanOrEqual(500);
  expect(job.result).not.toHaveProperty('photos.traded');
});

it('reduces photo quality just enough, and reports the reduced quality', async () => {
  const maxBytes = Math.round(bytesOf(whole) * 0.6);
  const job = await make(maxBytes);
  expect(bytesOf(job)).toBeLessThanOrEqual(maxBytes);
  expect(bytesOf(job)).toBeGreaterThan(maxBytes * 0.5);
  expect(job.result).toMatchObject({ pages: 2, photos: { printed: 4, traded: { dpi: expect.any(Number) } } });
  expect(job.warnings).toEqual([]);
});

it('uses the lowest quality with a warning when no quality fits', async () => {
  const job = await make(50_000, [listing(1), listing(2), listing(3)]);
  expect(bytesOf(job)).toBeLessThan(bytesOf(whole) / 2);
  expect(job.result).toMatchObject({ photos: { traded: { dpi: 50 } } });
  expect(job.warnings).toMatchObject([{ pointer: '/maxBytes' }]);
});

it('rejects a limit that no PDF can meet', async () => {
  const { status, body } = await brochures.client.request('POST', '/apps/portal/v1/pdf-new', {
    body: { list: [listing()], maxBytes: 1 },
  });
  expect({ status, body }).toMatchObject({ status: 422, body: { errors: [{ pointer: '/maxBytes' }] } });
});
