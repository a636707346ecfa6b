/** A PDF for a chat or a mail that takes so many bytes and no more. */
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
  const job = await brochures.client.askJob('POST', '/apps/portal/v1/pdf-new', {
    body,
    headers: { prefer: 'wait=150' },
  });
  expect(job, JSON.stringify(job.error)).toMatchObject({ state: 'succeeded' });
  return job;
}

const bytesOf = ({ result }: JobResource): number => Number(Object(result).bytes);

it('a PDF that fits as it is gives nothing away', async () => {
  // Documents for other requests have other ids, which are compressed to a few bytes more or less.
  const most = bytesOf(whole) + 500;
  const job = await make(most);
  expect(job.result).toMatchObject({ photos: { printed: 4 } });
  expect(Math.abs(bytesOf(job) - bytesOf(whole))).toBeLessThanOrEqual(500);
  expect(job.result).not.toHaveProperty('photos.traded');
});

it('photos give way until it fits, no more than they must, and the result says how far', async () => {
  const most = Math.round(bytesOf(whole) * 0.6);
  const job = await make(most);
  expect(bytesOf(job)).toBeLessThanOrEqual(most);
  expect(bytesOf(job)).toBeGreaterThan(most * 0.5);
  expect(job.result).toMatchObject({ pages: 2, photos: { printed: 4, traded: { dpi: expect.any(Number) } } });
  expect(job.warnings).toEqual([]);
});

it('what cannot be made to fit is as small as it gets, with a warning', async () => {
  const job = await make(50_000, [listing(1), listing(2), listing(3)]);
  expect(bytesOf(job)).toBeLessThan(bytesOf(whole) / 2);
  expect(job.result).toMatchObject({ photos: { traded: { dpi: 50 } } });
  expect(job.warnings).toMatchObject([{ pointer: '/maxBytes' }]);
});

it('a bound that no PDF can keep is refused', async () => {
  const { status, body } = await brochures.client.ask('POST', '/apps/portal/v1/pdf-new', {
    body: { list: [listing()], maxBytes: 1 },
  });
  expect({ status, body }).toMatchObject({ status: 422, body: { errors: [{ pointer: '/maxBytes' }] } });
});
