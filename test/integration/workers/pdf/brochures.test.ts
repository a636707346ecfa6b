/** Both designs through the whole service, with a real browser and real photos over HTTP. */
import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { z } from 'zod';
import type { JobResource } from '../../../../core/jobs/resource.ts';
import { readConfig } from '../../../../core/runtime/config.ts';
import pdfJob from '../../../../workers/pdf/contract.ts';
import pdfHandler from '../../../../workers/pdf/handler.ts';
import type { Listing } from '../../../../workers/pdf/listing.ts';
import type { ApiClient, Reply } from '../../../support/api-client.ts';
import { freeTextFields } from '../../../support/free-text-fields.ts';
import { type PhotoServer, startPhotoServer } from '../../../support/photo-server.ts';
import { cacheFolder } from '../../../support/printing.ts';
import { startTestService, type TestService } from '../../../support/test-service.ts';

vi.setConfig({ testTimeout: 180_000 });

type Sent = z.input<typeof Listing>;

let service: TestService;
let client: ApiClient;
let photos: PhotoServer;
let slow: Promise<JobResource>;

beforeAll(async () => {
  photos = await startPhotoServer();
  service = await startTestService('brochures', {
    contracts: new Map([['pdf', pdfJob]]),
    env: { MAX_WAIT_SECONDS: '150' },
  });
  mkdirSync(cacheFolder, { recursive: true });
  symlinkSync(cacheFolder, path.join(service.dataFolder, 'browser'));
  const config = readConfig(pdfHandler.config, { ...process.env, EGRESS_ALLOW: `127.0.0.1:${photos.port}` });
  const handler = await pdfHandler.open(config, service);
  service.startWorker([{ contract: pdfJob, handler }]);
  client = await service.client(['pdf']);
  // Times out while the other tests run.
  slow = make('/apps/portal/v1/pdf', [{ ...listingOf(70), photo: [`${photos.origin}/slow/1.jpg`] }]);
});
afterAll(async () => {
  await service?.close();
  await photos?.close();
});

const designs = [
  { design: 'classic', operation: '/apps/portal/v1/pdf', pagesEach: 1 },
  { design: 'new', operation: '/apps/portal/v1/pdf-new', pagesEach: 2 },
];

const listingOf = (number: number): Sent => ({
  reference_number: `REF-${number}`,
  permit_number: '7116777484',
  permit_url: 'https://trakheesi.dubailand.gov.ae/rev/madmoun/listing/validation?khevJujtDig=SAMPLE1',
  title_en: `Villa ${number} with a garden`,
  description_en: 'Four bedrooms, a pool and a view over the marina. '.repeat(12),
  price: '1,250,000',
  purpose: 'Sale',
  city: 'Dubai',
  community: 'Dubai Marina',
  bedroom: '4',
  bathroom: 5,
  size: '3200',
  amenities: 'Pool, Garden, Gym',
  geopoints: '25.0772,55.1409',
  agent: {
    name: 'Sara Haddad',
    phone: '+971501234567',
    email: 'sara@agency.example',
    photo: photos.photo(900),
  },
  photo: [photos.photo(number), photos.photo(number + 1), photos.photo(number + 2)],
});

const ask = (operation: string, list: readonly Sent[], headers: Record<string, string> = {}): Promise<Reply> =>
  client.request('POST', operation, { body: { list }, headers: { accept: 'application/pdf', ...headers } });

async function make(operation: string, list: readonly Sent[], onError?: 'fail'): Promise<JobResource> {
  const body = { list, ...(onError && { onError }) };
  return client.requestJob('POST', operation, { body, headers: { prefer: 'wait=150' } });
}

/** The job of a response. */
const jobOf = ({ headers }: Reply): Promise<JobResource> =>
  client.job(headers.get('location')?.split('/').at(-1) ?? '');

/** Storage key of a brochure, a new one each time that it is printed. */
const storedFileOf = async ({ id }: JobResource): Promise<string> =>
  (await service.records.find(id))?.resultFile?.key ?? expect.unreachable(`${id} has no result file`);

/** Counts page objects, which are plain text in Chromium's PDFs. */
const pagesOf = (pdf: Buffer): number => pdf.toString('latin1').match(/\/Type\s*\/Page\b(?!s)/g)?.length ?? 0;

const pdfOf = async (job: JobResource): Promise<Buffer> => {
  expect(job, JSON.stringify(job.error)).toMatchObject({ state: 'succeeded' });
  return (await client.request('GET', `/jobs/${job.id}/result`)).bytes;
};

describe.each(designs)('the $design design', ({ design, operation, pagesEach }) => {
  it.each([1, 3, 20])('returns a PDF with the promised pages for %i listings', async count => {
    const reply = await ask(
      operation,
      Array.from({ length: count }, (_, index) => listingOf(index)),
    );
    const { status, headers, bytes } = reply;
    expect(status, bytes.toString('latin1', 0, 500)).toBe(200);
    expect(headers.get('content-type')).toBe('application/pdf');
    expect(bytes.toString('latin1', 0, 5)).toBe('%PDF-');
    expect(pagesOf(bytes)).toBe(count * pagesEach);
    expect(await jobOf(reply)).toMatchObject({
      result: {
        design,
        listings: count,
        pages: count * pagesEach,
        bytes: bytes.length,
        photos: { missing: 0 },
      },
      warnings: [],
    });
  });

  it('keeps its number of pages for markup, long texts and any script', async () => {
    const markup = '<script>alert(1)</script><img src=x onerror=alert(2)> {{7*7}} & <b>"bold\'</b>';
    const arabic = 'فيلا فاخرة مع إطلالة على البحر في دبي مارينا ٤ غرف نوم';
    const texts = ['', markup, arabic, '🏡🌊 ЖК Марина 豪华别墅 👨‍👩‍👧‍👦', 'ﷺ'.repeat(900), 'x'.repeat(1_000)];
    const everywhere = (text: string): Sent => ({
      ...Object.fromEntries(freeTextFields.map(name => [name, text])),
      reference_number: text || 'REF',
      title_en: text || 'Title',
      agent: { id: text, name: text, email: text, phone: text, brn_number: text },
      photo: [photos.photo(1)],
    });
    const list: Sent[] = [
      ...texts.map(everywhere),
      { reference_number: 'bare', title_en: 'Nothing but a title' },
      {
        reference_number: 'many',
        title_en: 'Many photos',
        photo: Array.from({ length: 60 }, (_, i) => photos.photo(i)),
      },
      {
        ...listingOf(1),
        description_en: 'Words and words. '.repeat(2_900),
        amenities: 'Pool,'.repeat(2_000),
      },
      { ...listingOf(2), description_en: `${'\n'.repeat(2_000)}end\u0001\u0007\u202e\u200b\ufffe` },
    ];
    const job = await make(operation, list);
    expect(pagesOf(await pdfOf(job))).toBe(list.length * pagesEach);
    expect(job.warnings).toContainEqual(expect.objectContaining({ pointer: '/list/8/description_en' }));
  });

  it('returns the stored file for an identical request', async () => {
    const list = [{ ...listingOf(40), title_en: `Printed once: ${design}` }];
    const first = await ask(operation, list);
    const second = await ask(operation, list);
    expect(second.status).toBe(200);
    expect(second.headers.get('etag')).toBe(first.headers.get('etag'));
    expect(second.bytes.equals(first.bytes)).toBe(true);
    expect(second.headers.get('location')).not.toBe(first.headers.get('location'));
    const jobs = [await jobOf(first), await jobOf(second)] as const;
    expect(await storedFileOf(jobs[1])).toBe(await storedFileOf(jobs[0]));
    const other = await ask(operation, [{ ...listingOf(40), title_en: 'Another title' }]);
    expect(other.headers.get('etag')).not.toBe(first.headers.get('etag'));
  });
});

describe('an identical request', () => {
  const missing = { photo: ['http://127.0.0.1:9/closed.jpg'] };

  it.each([
    { name: 'without photos', listing: { photo: [] } },
    { name: 'with a missing photo', listing: missing },
    { name: 'of an additional brand', terms: { brand: 'northline' } },
    { name: 'with tracked links', terms: { trackLinks: true } },
  ])('$name is not printed again', async ({ name, listing, terms }) => {
    const body = { list: [{ ...listingOf(50), title_en: name, agent: {}, ...listing }], ...terms };
    const send = () => client.requestJob('POST', '/apps/portal/v1/pdf', { body, headers: { prefer: 'wait=150' } });
    const first = await send();
    const second = await send();
    expect([first, second]).toMatchObject([{ state: 'succeeded' }, { state: 'succeeded' }]);
    expect(await storedFileOf(second)).toBe(await storedFileOf(first));
    expect(second.warnings).toEqual(first.warnings);
    expect(second.result).toMatchObject({ pages: 1, listings: 1 });
  });
});

describe('photos that cannot be loaded', () => {
  const unusable = () => [
    'http://127.0.0.1:9/closed.jpg',
    `${photos.origin}/none/1.jpg`,
    `${photos.origin}/huge/1.jpg`,
    `${photos.origin}/text/1.jpg`,
    `${photos.origin}/cut/1.jpg`,
    `${photos.origin}/loop/1.jpg`,
    `${photos.origin}/away/1.jpg`,
    'http://10.0.0.1/private.jpg',
    'http://169.254.169.254/latest/meta-data',
    'http://[::1]/loopback.jpg',
    'http://localhost/loopback.jpg',
    'file:///etc/passwd',
    'ftp://photos.example/1.jpg',
    'https://user:password@photos.example/1.jpg',
    'not a url',
    '',
  ];

  it.each(designs)(
    'become placeholders and warnings with their pointers ($design)',
    async ({ operation, pagesEach }) => {
      const wrong = unusable();
      // One per listing, because a page requests only the photos that it needs.
      const list = wrong.map((url, index): Sent => ({ ...listingOf(60 + index), photo: [photos.photo(60), url] }));
      list.push({ ...listingOf(99), agent: { name: 'Sara', photo: `${photos.origin}/none/agent.jpg` } });
      const job = await make(operation, list);
      expect(pagesOf(await pdfOf(job))).toBe(list.length * pagesEach);
      expect(job.warnings.map(({ pointer }) => pointer)).toEqual([
        ...wrong.map((_, index) => `/list/${index}/photo/1`),
        `/list/${wrong.length}/agent/photo`,
      ]);
      for (const { detail } of job.warnings) expect(detail).toMatch(/^The photo could not be loaded: [^<>]+\.$/);
    },
  );

  it('delay the brochure by seconds only when a server never answers', async () => {
    const job = await slow;
    expect(pagesOf(await pdfOf(job))).toBe(1);
    expect(job.warnings.map(({ pointer }) => pointer)).toEqual(['/list/0/photo/0']);
  });

  it('fail the job with a pointer to each when the request has `onError: fail`', async () => {
    const list = [listingOf(80), { ...listingOf(81), photo: [photos.photo(81), `${photos.origin}/none/2.jpg`] }];
    const job = await make('/apps/portal/v1/pdf', list, 'fail');
    expect(job).toMatchObject({
      state: 'failed',
      attempts: { made: 1 },
      result: null,
      error: {
        type: 'http://portal.example/v2/problems/photo-unavailable',
        errors: [{ pointer: '/list/1/photo/1', detail: 'The photo could not be loaded: the server answered 404.' }],
      },
    });
    const direct = await client.request('POST', '/apps/portal/v1/pdf', {
      body: { list, onError: 'fail' },
      headers: { accept: 'application/pdf' },
    });
    expect(direct.status).toBe(422);
  });
});

describe('the file', () => {
  it('is sent with a name, supports ranges and conditional requests', async () => {
    const job = await make('/apps/portal/v1/pdf', [{ ...listingOf(90), reference_number: 'A/B "90" ü' }]);
    const result = (headers: Record<string, string>) => client.request('GET', `/jobs/${job.id}/result`, { headers });
    const { headers, bytes } = await result({});
    expect(headers.get('content-disposition')).toBe('attachment; filename="A-B-90.pdf"');
    const etag = headers.get('etag') ?? '';
    expect((await result({ 'if-none-match': etag })).status).toBe(304);
    const part = await result({ range: 'bytes=0-4' });
    expect([part.status, part.bytes.toString()]).toEqual([206, '%PDF-']);
    expect((await result({ range: `bytes=${bytes.length}-` })).status).toBe(416);
  });
});
