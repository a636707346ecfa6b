/** One brochure from the listings to the stored file, with real photos over HTTP and a real browser, without a queue. */
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseAllowRule } from '../../../../core/egress/allow-rules.ts';
import { createGuardedFetch } from '../../../../core/egress/guarded-fetch.ts';
import type { Warning } from '../../../../core/jobs/record.ts';
import { openFileStore } from '../../../../core/storage/file-store.ts';
import type { Store } from '../../../../core/storage/store.ts';
import contract from '../../../../workers/pdf/contract.ts';
import { openDesigns } from '../../../../workers/pdf/layout/designs.ts';
import { fitText } from '../../../../workers/pdf/layout/fit-text.ts';
import { Listing } from '../../../../workers/pdf/listing.ts';
import { collectPhotos } from '../../../../workers/pdf/listing-photos.ts';
import { cropPhotos } from '../../../../workers/pdf/photos/crop-photos.ts';
import { fetchPhotos, sourceOfJob } from '../../../../workers/pdf/photos/fetch-photos.ts';
import { openPhotoCache, type PhotoCache } from '../../../../workers/pdf/photos/photo-cache.ts';
import { countPages, dictionaryAt, objectAt, readPdfFile } from '../../../../workers/pdf/print/pdf-file.ts';
import type { Printer } from '../../../../workers/pdf/print/printer.ts';
import { type BrochureServices, printBrochure } from '../../../../workers/pdf/print-brochure.ts';
import { jobContext } from '../../../support/job-context.ts';
import { type LoopbackServer, startLoopbackServer } from '../../../support/loopback-server.ts';
import { testPrinter } from '../../../support/printing.ts';
import { withCrossReferenceStream } from '../../../support/small-pdf.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const root = temporaryFolder();
const hasPdftotext = spawnSync('pdftotext', ['-v']).error === undefined;
const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const;
const grain = { width: 900, height: 600, channels: 3 } as const;
/** As detailed as a photo. Generated once, because this takes longer than everything else of a photo. */
const detail = await sharp({ create: { ...grain, background: '#888', noise } })
  .raw()
  .toBuffer();
const jpegOf = (seed: number) =>
  sharp(detail, { raw: grain })
    .tint({ r: seed % 256, g: 120, b: 90 })
    .jpeg()
    .toBuffer();
const largeJpeg = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#456' } })
    .composite([{ input: detail, raw: grain, tile: true }])
    .jpeg({ quality: 90 })
    .toBuffer();

/** The body of each path. */
const paths = new Map<string, Buffer>();
let server: LoopbackServer;
let printer: Printer;
let results: Store;
let services: BrochureServices;
let warnings: Warning[];
let folders = 0;

beforeAll(async () => {
  server = await startLoopbackServer((request, response) => {
    const body = paths.get(request.url ?? '');
    response.writeHead(body ? 200 : 404, { 'content-type': 'image/jpeg' }).end(body);
  });
  printer = await testPrinter({ fit: fitText, pages: 1 });
  results = await openFileStore(path.join(root, 'results'));
  const rule = parseAllowRule(`127.0.0.1:${server.port}`);
  services = {
    inputs: inputsOf(),
    results,
    chooseDesign: await openDesigns({ BRANDS_DIR: undefined }),
    printer,
    browserVersion: '1',
    photos: { fetcher: createGuardedFetch({ allow: rule ? [rule] : [] }), cache: openPhotoCache(path.join(root, '0')) },
    links: { create: async () => [] },
    permits: { isConfigured: false, find: async () => undefined },
    retentionHours: 24,
  };
});
beforeEach(() => {
  warnings = [];
  paths.clear();
  server.requests.length = 0;
  folders += 1;
  services.photos = { ...services.photos, cache: openPhotoCache(path.join(root, String(folders))) };
});
afterAll(async () => {
  await services?.photos.fetcher.close();
  await printer?.close();
  await server?.close();
});

const inputsOf = (...list: Listing[]) => ({ put: async () => {}, get: async () => list });
const urlOf = (name: string) => `${server.origin}${name}`;
const listingOf = (fields: object = {}) => Listing.parse({ reference_number: 'R-1', title_en: 'Home', ...fields });

/** @returns the outcome of the job, and its file */
async function print(
  listings: Listing | readonly Listing[],
  payload: object = {},
  changed: Partial<BrochureServices> = {},
) {
  const full = contract.payload.parse({ design: 'classic', input: 'hash', listings: 1, ...payload });
  const context = jobContext({ warn: warning => warnings.push(warning) });
  const outcome = await printBrochure(full, context, {
    ...services,
    inputs: inputsOf(...[listings].flat()),
    ...changed,
  });
  if (!outcome.file) throw new Error('The job has no file.');
  const { stream } = await results.open(outcome.file.key);
  return { ...outcome, pdf: await buffer(stream) };
}

describe('a truncated JPEG with an end marker', () => {
  /** Half of the image data, then an end marker, as a proxy writes it that lost its connection. */
  const cut = (jpeg: Buffer) => Buffer.concat([jpeg.subarray(0, jpeg.length >> 1), Buffer.from([0xff, 0xd9])]);

  it.each([
    ['sequential', false],
    ['progressive', true],
  ])('is replaced by a spare photo, with a warning (%s)', async (_, progressive) => {
    const whole = await sharp(await jpegOf(1))
      .jpeg({ progressive })
      .toBuffer();
    paths.set('/cut.jpg', cut(whole));
    const names = ['/1', '/2', '/3', '/4', '/5', '/6'];
    for (const [at, name] of names.entries()) paths.set(name, await jpegOf(at * 30));
    const { result } = await print(listingOf({ photo: ['/cut.jpg', ...names].map(urlOf) }));
    expect(warnings).toEqual([
      { pointer: '/list/0/photo/0', detail: 'The photo could not be loaded: the photo is damaged.' },
    ]);
    expect(result.photos).toMatchObject({ printed: 6, missing: 1 });
  });

  it('is reported again when the stored brochure answers an identical request', async () => {
    paths.set('/cut.jpg', cut(await jpegOf(2)));
    const listing = listingOf({ photo: [urlOf('/cut.jpg')] });
    const first = await print(listing);
    const second = await print(listing);
    expect(second.file?.key).toBe(first.file?.key);
    expect(warnings).toHaveLength(2);
    expect(warnings[1]).toEqual(warnings[0]);
  });

  it('fails the job when the request has `onError: fail`', async () => {
    paths.set('/cut.jpg', cut(await jpegOf(3)));
    await expect(print(listingOf({ photo: [urlOf('/cut.jpg')] }), { onError: 'fail' })).rejects.toMatchObject({
      code: 'photo-unavailable',
      faults: [{ pointer: '/list/0/photo/0' }],
    });
  });

  it('does not include a JPEG with harmless irregularities', async () => {
    const jpeg = await jpegOf(4);
    // The end of the spectral selection, which some phones set to 0 (ITU-T T.81, B.2.3); libjpeg warns of it.
    const scanAt = jpeg.indexOf(Buffer.from([0xff, 0xda]));
    jpeg[scanAt + 6 + 2 * (jpeg[scanAt + 4] ?? 0)] = 0;
    paths.set('/odd.jpg', jpeg);
    const { result } = await print(listingOf({ photo: [urlOf('/odd.jpg')] }));
    expect(warnings).toEqual([]);
    expect(result.photos).toMatchObject({ printed: 1, missing: 0 });
  });
});

describe('an option without effect on the design', () => {
  const cropMarks = { pointer: '/cropMarks', detail: 'Only a PDF with "quality": "print" has crop marks.' };
  const pages = { pointer: '/pages', detail: expect.stringContaining('one page in the classic design') };
  it.each([
    [{ cropMarks: true }, [cropMarks]],
    [{ cropMarks: true, quality: 'print' }, []],
    [{ cropMarks: false }, []],
    [{ pages: 'auto' }, [pages]],
    [{ pages: 'auto', design: 'new' }, []],
    [{ gallery: 'full' }, []],
  ])('is a warning: %j', async (payload, expected) => {
    await print(listingOf(), payload);
    expect(warnings).toEqual(expected);
  });
});

it('listings of one page and of two, and further photos, have their pages in the PDF and in the result', async () => {
  const names = Array.from({ length: 14 }, (_, at) => `/${at}`);
  for (const [at, name] of names.entries()) paths.set(name, await jpegOf(at * 17));
  const many = listingOf({ photo: names.map(urlOf) });
  for (const [options, pagesOfListings] of [
    [{ pages: 'auto', gallery: 'full' }, 1 + 3],
    [{ pages: 'auto' }, 1 + 2],
    [{ gallery: 'full', quality: 'print', cropMarks: true }, 2 + 3],
    [{}, 2 + 2],
  ] as const) {
    const cover = { for: 'Ms Hart', note: '' };
    const { result, pdf } = await print([listingOf(), many], { design: 'new', cover, ...options });
    expect([result.pages, countPages(pdf)]).toEqual([1 + pagesOfListings, 1 + pagesOfListings]);
    expect(result.photos.printed).toBe('gallery' in options ? 14 : 10);
  }
  const length = 45;
  const { result, pdf } = await print(
    Array.from({ length }, () => listingOf()),
    { design: 'new', pages: 'auto' },
  );
  expect([result.pages, countPages(pdf)]).toEqual([length, length]);
});

describe('the photos of a job', () => {
  const limits = { parallel: 1, parallelPerHost: 1, timeoutMs: 60_000, maxBytes: 250_000, failuresPerHost: 6 };

  it('have one budget of bytes together, which failed downloads and spare photos use, too', async () => {
    const names = ['/1', '/2', '/3', '/4', '/5', '/6'];
    for (const name of names) paths.set(name, Buffer.alloc(50_000, '<html>'));
    paths.set('/spare', await jpegOf(9));
    const design = await services.chooseDesign({ design: 'classic', language: 'en', cover: false });
    const listing = listingOf({ photo: [...names, '/spare'].map(urlOf) });
    const source = sourceOfJob(services.photos, undefined, limits);
    const { faults } = await collectPhotos([listing], design, source, jobContext());
    expect(faults).toHaveLength(7);
    expect(faults.at(-1)?.detail).toContain('the photos are larger than 0.25 MB together');
    expect(server.requests).not.toContain('GET /spare');
  });

  it.each([
    ['two further photos', ['/7', '/8'], true],
    ['one further photo', ['/7'], false],
    ['further photos of which one is dead', ['/7', '/dead'], false],
    ['further photos that are printed, too', ['/1', '/2'], false],
    ['the same further photo twice', ['/7', '/7'], false],
  ])('are known to be more than those printed: %s', async (_, further, hasMore) => {
    const names = ['/1', '/2', '/3', '/4', '/5', '/6'];
    for (const [at, name] of [...names, '/7', '/8'].entries()) paths.set(name, await jpegOf(at * 30));
    const design = await services.chooseDesign({ design: 'classic', language: 'en', cover: false });
    const listing = listingOf({ photo: [...names, ...further].map(urlOf) });
    const { listings, faults } = await collectPhotos([listing], design, services.photos, jobContext());
    expect(listings).toMatchObject([{ fetched: { length: 6 }, missing: 0, hasMore }]);
    // A photo that is not printed is no fault.
    expect(faults).toEqual([]);
  });

  it('use the same budget when they are fetched again for another crop', async () => {
    paths.set('/1', await jpegOf(10));
    const source = sourceOfJob(services.photos, undefined, { ...limits, maxBytes: 10_000 });
    const { signal } = new AbortController();
    const [photo] = await fetchPhotos([urlOf('/1')], source, { signal });
    if (!photo?.ok) throw new Error(photo?.reason);
    const slot = { name: 'hero', widthMm: 80, heightMm: 40, crop: 'centre' } as const;
    const cropIn = async (widthMm: number, cache: PhotoCache) =>
      await cropPhotos([{ photo, slot: { ...slot, widthMm } }], { ...source, cache }, { signal });
    expect(await cropIn(80, source.cache)).toMatchObject([{ ok: true }]);
    expect(await cropIn(60, openPhotoCache(path.join(root, String(folders))))).toMatchObject([
      { ok: false, reason: 'the photos are larger than 0.01 MB together' },
    ]);
  });
});

describe('a browser that writes PDFs of another structure', () => {
  const unknown = (): Printer => ({
    ...printer,
    print: async request => {
      const printed = await printer.print(request);
      return { ...printed, pdf: withCrossReferenceStream(printed.pdf) };
    },
  });
  const has = (program: string): boolean => spawnSync(program, ['-v']).error === undefined;

  it('prints again without placeholders: the brochure has its photos, and a warning', async () => {
    const photo = await jpegOf(5);
    paths.set('/1.jpg', photo);
    const listing = listingOf({ title_en: 'Home by the sea', permit_number: '7116777484', photo: [urlOf('/1.jpg')] });
    const { result, pdf } = await print(listing, {}, { printer: unknown() });
    expect(warnings).toEqual([{ pointer: '', detail: expect.stringContaining('as the browser wrote it') }]);
    expect(result).toMatchObject({ pages: 1, photos: { printed: 1, missing: 0 }, bytes: pdf.length });
    const known = await print(listing);
    const photoOf = (file: Buffer) => {
      const at = file.indexOf(Buffer.from([0xff, 0xd8, 0xff, 0xe0]));
      return file.subarray(at, at + 20_000);
    };
    expect(photoOf(pdf)).toEqual(photoOf(known.pdf));
    if (!has('pdfinfo')) return;
    const file = path.join(root, 'unknown.pdf');
    writeFileSync(file, pdf);
    expect(execFileSync('pdfinfo', [file], { encoding: 'utf8' })).toMatch(/Title: +Home by the sea[\s\S]*Pages: +1\n/);
  });

  it('prints all parts of a long brochure again as one, when it is a later part that is unknown', async () => {
    let prints = 0;
    const secondUnknown: Printer = {
      ...printer,
      print: request => (++prints === 2 ? unknown() : printer).print(request),
    };
    const list = Array.from({ length: 40 }, (_, at) => listingOf({ reference_number: `R-${at}` }));
    const { result, pdf } = await print(list, {}, { printer: secondUnknown });
    expect(warnings).toEqual([{ pointer: '', detail: expect.stringContaining('as the browser wrote it') }]);
    expect(result).toMatchObject({ pages: 40, bytes: pdf.length });
    expect(countPages(pdf)).toBe(40);
    expect(prints).toBe(3);
  });

  it('prints the next identical request again, so that a corrected installation delivers processed files', async () => {
    const listing = listingOf({ title_en: 'Printed twice' });
    const first = await print(listing, {}, { printer: unknown() });
    const second = await print(listing);
    expect(second.file?.key).not.toBe(first.file?.key);
    expect(warnings).toHaveLength(1);
    const third = await print(listing);
    expect(third.file?.key).toBe(second.file?.key);
  });

  it('fails the job when the PDF is incomplete', async () => {
    const cutShort: Printer = {
      ...printer,
      print: async request => {
        const printed = await printer.print(request);
        return { ...printed, pdf: printed.pdf.subarray(0, -100) };
      },
    };
    await expect(print(listingOf({ title_en: 'Incomplete' }), {}, { printer: cutShort })).rejects.toThrow(
      'does not end with the offset',
    );
  });
});

describe('the properties of the file', () => {
  it('contain no control characters, no direction overrides and no markup', async () => {
    const hidden = 'Home\u0000\u0007\u202e by\u2066 the\u200b sea\u001b[31m <b>now</b>';
    const { pdf } = await print(listingOf({ title_en: hidden, reference_number: 'R\u202e-\u00071\u2069' }));
    const file = readPdfFile(pdf);
    const info = dictionaryAt(pdf, objectAt(file, file.info ?? 0)).entries;
    expect(info.get('Title')).toBe('(Home by the sea[31m now)');
    expect(info.get('Subject')).toBe('(Property listing R-1)');
    expect(pdf.toString('utf8')).toContain('>Home by the sea[31m now</rdf:li>');
  });
});

describe('floor plans', () => {
  const photoAt = async (name: string) => {
    paths.set(name, await jpegOf(9));
    return urlOf(name);
  };

  it.each([
    ['classic', 2],
    ['new', 3],
  ])('have a page of their own in the %s design, whole and with alternative texts', async (design, pages) => {
    // A red frame at the very edge of a drawing.
    const border = { top: 12, bottom: 12, left: 12, right: 12, background: '#ff0000' };
    const plan = sharp({ create: { width: 776, height: 1376, channels: 3, background: '#ffffff' } }).extend(border);
    paths.set('/plan.png', await plan.png().toBuffer());
    const photo = [await photoAt('/photo.jpg')];
    const listing = listingOf({ photo, floor_plans: [urlOf('/plan.png')], community: 'Al Barsha' });
    const { result, pdf } = await print(listing, { design });
    expect(result).toMatchObject({ pages, photos: { printed: 1, missing: 0 } });
    expect(warnings).toEqual([]);
    expect(pdf.includes('/Alt (Floor plan, Al Barsha)')).toBe(true);
    const drawing = await largestImageOf(pdf, ({ width = 0, height = 0 }) => height > width);
    const { data, info } = await sharp(drawing).raw().toBuffer({ resolveWithObject: true });
    const pixel = (x: number, y: number) => [...data.subarray(3 * (y * info.width + x), 3 * (y * info.width + x) + 3)];
    for (const [x, y] of [
      [2, info.height >> 1],
      [info.width - 3, info.height >> 1],
      [info.width >> 1, 2],
      [info.width >> 1, info.height - 3],
    ] as const) {
      const [red = 0, green = 255] = pixel(x, y);
      expect(red - green, `the pixel at ${x}, ${y} is red`).toBeGreaterThan(120);
    }
  });

  it('that cannot be loaded leave no page, and a warning', async () => {
    const { result } = await print(listingOf({ floor_plans: [urlOf('/absent.jpg')] }));
    expect(result.pages).toBe(1);
    expect(warnings).toEqual([
      {
        pointer: '/list/0/floor_plans/0',
        detail: 'The floor plan could not be loaded: the server answered 404.',
      },
    ]);
  });

  it('that cannot be loaded fail the job with `onError: fail`', async () => {
    await expect(print(listingOf({ floor_plans: [urlOf('/absent.jpg')] }), { onError: 'fail' })).rejects.toMatchObject({
      code: 'photo-unavailable',
      faults: [{ pointer: '/list/0/floor_plans/0' }],
    });
  });

  it('are fetched once for two prints', async () => {
    const listing = listingOf({ floor_plans: [await photoAt('/plan.jpg')] });
    await print(listing);
    await print(listing, { design: 'new' });
    expect(server.requests.filter(request => request === 'GET /plan.jpg')).toHaveLength(1);
  });
});

describe('a map', () => {
  const geopoints = '25.1190,55.1310';
  const mapPath = '/map?at=25.119,55.131&size=434x213&key=geheim';
  const open = (origin = server.origin) =>
    openDesigns({
      BRANDS_DIR: undefined,
      MAP_URL: `${origin}/map?at={lat},{lon}&size={w}x{h}&key=geheim`,
      MAP_ATTRIBUTION: '© OpenStreetMap contributors',
    });
  const listing = listingOf({ geopoints, community: 'Palm Jumeirah', amenities: 'Pool' });

  it.runIf(hasPdftotext)('of the provider is printed with its attribution, and fetched once', async () => {
    paths.set(mapPath, await jpegOf(5));
    const chooseDesign = await open();
    const { pdf } = await print(listing, { design: 'new' }, { chooseDesign });
    expect(warnings).toEqual([]);
    expect(pdf.includes('/Alt (Map of Palm Jumeirah)')).toBe(true);
    expect(textOf(pdf)).toContain('© OpenStreetMap contributors');
    expect(textOf(pdf)).not.toContain('Atlantis');
    await print(listing, { design: 'classic' }, { chooseDesign });
    expect(server.requests.filter(request => request === `GET ${mapPath}`)).toHaveLength(1);
  });

  it.runIf(hasPdftotext)('that cannot be loaded is replaced by distances to landmarks, with a warning', async () => {
    const chooseDesign = await open();
    const { pdf } = await print(listing, { design: 'new', onError: 'fail' }, { chooseDesign });
    expect(warnings).toEqual([
      { pointer: '/list/0/geopoints', detail: 'The map could not be loaded: the server answered 404.' },
    ]);
    expect(textOf(pdf)).toMatch(/Atlantis, The Palm\s+1\.9.km/);
  });

  it('of an address that is not public is not requested, and its key is not told', async () => {
    const { pdf } = await print(listing, {}, { chooseDesign: await open('http://127.0.0.2:9') });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatchObject({ pointer: '/list/0/geopoints' });
    expect(JSON.stringify(warnings) + pdf.toString('latin1')).not.toContain('geheim');
  });
});

/** The JPEG with the most bytes in a PDF among those with a matching shape. */
async function largestImageOf(pdf: Buffer, matches: (shape: { width?: number; height?: number }) => boolean) {
  const images = [...pdf.toString('latin1').matchAll(/\/Subtype \/Image[\s\S]*?stream\n/g)].map(
    ({ 0: head, index }) => {
      const start = index + head.length;
      return pdf.subarray(start, start + Number(/\/Length (\d+)/.exec(head)?.[1]));
    },
  );
  const shapes = await Promise.all(images.map(async image => ({ image, shape: await sharp(image).metadata() })));
  const found = shapes.filter(({ shape }) => matches(shape)).sort((a, b) => b.image.length - a.image.length)[0];
  return found?.image ?? expect.fail('The PDF has no such image.');
}

function textOf(pdf: Buffer): string {
  const file = path.join(root, 'text.pdf');
  writeFileSync(file, pdf);
  return execFileSync('pdftotext', ['-layout', file, '-'], { encoding: 'utf8' });
}

describe('the quality', () => {
  /** The resolution of each printed photo, from the PDF's own report. */
  const dpiOf = (pdf: Buffer): number[] => {
    const file = path.join(root, 'quality.pdf');
    writeFileSync(file, pdf);
    const lines = execFileSync('pdfimages', ['-list', file], { encoding: 'utf8' }).split('\n').slice(2);
    return lines.flatMap(line => (/ jpeg /.test(line) ? [Number(line.trim().split(/\s+/)[12])] : []));
  };

  it.runIf(hasPdftotext)(
    '`print` places photos with 300 dpi, `screen` with 150, and both keep smaller photos',
    async () => {
      paths.set('/large.jpg', await largeJpeg(2_600, 2_100));
      paths.set('/small.jpg', await jpegOf(1));
      const listing = listingOf({ photo: [urlOf('/large.jpg'), urlOf('/small.jpg')] });
      const screen = await print(listing, { design: 'new' });
      const best = await print(listing, { design: 'new', quality: 'print' });
      expect(dpiOf(screen.pdf)[0]).toBe(150);
      expect(dpiOf(best.pdf)[0]).toBe(300);
      expect(dpiOf(best.pdf)[1]).toBe(dpiOf(screen.pdf)[1]);
      expect(best.result.bytes).toBeGreaterThan(2 * screen.result.bytes);
      expect(best.result.photos.traded).toBeUndefined();
    },
  );

  it('`print` is reduced until the PDF fits', async () => {
    paths.set('/large.jpg', await largeJpeg(2_600, 2_000));
    const listing = listingOf({ photo: [urlOf('/large.jpg')] });
    const whole = await print(listing, { quality: 'print' });
    const reduced = await print(listing, { quality: 'print', maxBytes: Math.round(0.6 * whole.result.bytes) });
    expect(reduced.result.photos.traded).toMatchObject({ dpi: 200 });
  });
});
