import { rm } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseAllowRule } from '../../../../../core/egress/allow-rules.ts';
import { createGuardedFetch, type GuardedFetch } from '../../../../../core/egress/guarded-fetch.ts';
import type { PhotoSlot } from '../../../../../workers/pdf/layout/photo-slot.ts';
import { cropPhotos } from '../../../../../workers/pdf/photos/crop-photos.ts';
import { type FetchedPhoto, fetchPhotos, type PhotoResult } from '../../../../../workers/pdf/photos/fetch-photos.ts';
import { openPhotoCache, type PhotoCache } from '../../../../../workers/pdf/photos/photo-cache.ts';
import { type LoopbackServer, startLoopbackServer } from '../../../../support/loopback-server.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';

const root = temporaryFolder();
const signal = new AbortController().signal;
const hero: PhotoSlot = { name: 'hero', widthMm: 210, heightMm: 120, crop: 'attention' };
const grid: PhotoSlot = { name: 'grid', widthMm: 59, heightMm: 41, crop: 'centre' };

/** Enlarged noise; creating it at full size would take seconds. */
const picture = (width = 300, height = 200): Sharp =>
  sharp({
    create: {
      width: 60,
      height: 40,
      channels: 3,
      background: '#888',
      noise: { type: 'gaussian', mean: 128, sigma: 40 },
    },
  }).resize(width, height, { fit: 'fill' });

/** The response of each path: bytes, or a listener. */
const paths = new Map<string, Buffer | RequestListener>();
let server: LoopbackServer;
let fetcher: GuardedFetch;
let cache: PhotoCache;
let folder: string;
let folders = 0;

beforeAll(async () => {
  server = await startLoopbackServer((request, response) => {
    const answer = paths.get(request.url ?? '');
    if (typeof answer === 'function') answer(request, response);
    else response.writeHead(answer ? 200 : 404, { 'content-type': 'image/jpeg' }).end(answer);
  });
  const rule = parseAllowRule(`127.0.0.1:${server.port}`);
  fetcher = createGuardedFetch({ allow: rule ? [rule] : [] });
});
beforeEach(() => {
  paths.clear();
  server.requests.length = 0;
  folders += 1;
  folder = join(root, String(folders));
  cache = openPhotoCache(folder);
});
afterAll(async () => {
  await fetcher.close();
  await server.close();
});

const at = (path: string) => `${server.origin}${path}`;
const fetchAll = (...pathsOrUrls: string[]) =>
  fetchPhotos(
    pathsOrUrls.map(one => (one.startsWith('/') ? at(one) : one)),
    { fetcher, cache },
    { signal },
  );

async function fetched(path: string, response: Buffer): Promise<FetchedPhoto> {
  paths.set(path, response);
  const [photo] = await fetchAll(path);
  if (!photo?.ok) throw new Error(photo?.reason);
  return photo;
}

async function cropFor(photo: FetchedPhoto, slot: PhotoSlot): Promise<Buffer> {
  const [cropped] = await cropPhotos([{ photo, slot }], { fetcher, cache }, { signal });
  if (!cropped?.ok) throw new Error(cropped?.reason);
  return cropped.body;
}

async function pixel(jpeg: Buffer, left: number, top: number): Promise<number[]> {
  return [...(await sharp(jpeg).extract({ left, top, width: 1, height: 1 }).raw().toBuffer())];
}

const outcome = (photo: PhotoResult | undefined) => (photo?.ok ? 'fetched' : photo?.reason);

describe('photos of a job', () => {
  it('are returned in the order of the URLs, each URL fetched once, with progress', async () => {
    paths.set('/1.jpg', await picture(300, 200).jpeg().toBuffer());
    paths.set('/2.png', await picture(100, 400).png().toBuffer());
    const progress: string[] = [];
    const photos = await fetchPhotos(
      [at('/1.jpg'), at('/2.png'), at('/1.jpg')],
      { fetcher, cache },
      { signal, onProgress: (done, total) => progress.push(`${done}/${total}`) },
    );
    expect(photos).toMatchObject([
      { ok: true, widthPx: 300, heightPx: 200 },
      { ok: true, widthPx: 100, heightPx: 400 },
      { ok: true, widthPx: 300, heightPx: 200 },
    ]);
    expect(server.requests.sort()).toEqual(['GET /1.jpg', 'GET /2.png']);
    expect(progress).toEqual(['1/2', '2/2']);
  });

  it('need no network when an identical request follows soon', async () => {
    const photo = await fetched('/1.jpg', await picture().jpeg().toBuffer());
    const body = await cropFor(photo, grid);
    paths.clear();
    cache = openPhotoCache(folder);
    expect(await fetchAll('/1.jpg')).toEqual([photo]);
    expect(await cropFor(photo, grid)).toEqual(body);
    expect(server.requests).toHaveLength(1);
  });

  it('are fetched again when their server forbids caching', async () => {
    const jpeg = await picture().jpeg().toBuffer();
    paths.set('/1.jpg', (_request, response) => response.writeHead(200, { 'cache-control': 'no-store' }).end(jpeg));
    await fetchAll('/1.jpg');
    await fetchAll('/1.jpg');
    expect(server.requests).toHaveLength(2);
  });

  it('are fetched at the second attempt after a transient failure', async () => {
    const jpeg = await picture().jpeg().toBuffer();
    const answers = [500, 200];
    paths.set('/1.jpg', (_request, response) => {
      const status = answers.shift() ?? 500;
      response.writeHead(status).end(status === 200 ? jpeg : 'sorry');
    });
    expect(outcome((await fetchAll('/1.jpg'))[0])).toBe('fetched');
  });
});

describe('a photo that fails is reported with its reason, and the others are fetched', () => {
  it('for every kind of failure', async () => {
    const jpeg = await picture().jpeg().toBuffer();
    paths.set('/good.jpg', jpeg);
    paths.set('/page.jpg', Buffer.from('<!doctype html><title>Sign in</title>'));
    paths.set(
      '/drawing.svg',
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>'),
    );
    paths.set('/cut.jpg', jpeg.subarray(0, jpeg.length >> 1));
    paths.set('/empty.jpg', Buffer.alloc(0));
    paths.set('/dot.png', await picture(1, 1).png().toBuffer());
    paths.set(
      '/bomb.png',
      await sharp({ create: { width: 9_000, height: 9_000, channels: 3, background: '#fff' } })
        .png()
        .toBuffer(),
    );
    paths.set('/huge.jpg', (_request, response) =>
      response.writeHead(200, { 'content-length': 26_000_000 }).write('x'),
    );
    paths.set('/broken.jpg', (_request, response) => response.writeHead(500).end());
    paths.set('/inside.jpg', (_request, response) =>
      response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
    );
    const closed = await startLoopbackServer(() => {});
    await closed.close();

    const reasons = {
      '/good.jpg': 'fetched',
      '/none.jpg': 'the server answered 404',
      '/broken.jpg': 'the server answered 500',
      '/page.jpg': 'the file is a web page',
      '/drawing.svg': 'the file is an SVG drawing',
      '/cut.jpg': 'the photo is cut short or damaged',
      '/empty.jpg': 'the file is empty',
      '/dot.png': 'the photo is too small to print (1 × 1 pixels)',
      '/bomb.png': 'the photo has 81 megapixels, more than 60',
      '/huge.jpg': 'the file is larger than 25 MB',
      '/inside.jpg': 'its server is not on the public internet',
      'http://10.0.0.1/1.jpg': 'its server is not on the public internet',
      [`${closed.origin}/1.jpg`]: 'the address names a port that is not allowed',
      'file:///etc/passwd': 'the address is neither http nor https',
      'no url at all': 'the address is not a URL',
    };
    const photos = await fetchAll(...Object.keys(reasons));
    expect(photos.map(outcome)).toEqual(Object.values(reasons));
    expect(photos.filter(photo => !photo.ok && photo.transient)).toHaveLength(1);
  });

  it('when its server rejects the connection', async () => {
    const closed = await startLoopbackServer(() => {});
    await closed.close();
    const rule = parseAllowRule(`127.0.0.1:${closed.port}`);
    const toClosed = createGuardedFetch({ allow: rule ? [rule] : [] });
    const photos = await fetchPhotos([`${closed.origin}/1.jpg`], { fetcher: toClosed, cache }, { signal });
    expect(photos).toMatchObject([
      { ok: false, reason: 'the server could not be reached or broke off', transient: true },
    ]);
    await toClosed.close();
  });

  const bounds = { parallel: 8, parallelPerHost: 6, timeoutMs: 60_000, maxBytes: 1e9, failuresPerHost: 6 };

  it('when the time for all photos is over', async () => {
    paths.set('/slow.jpg', () => {});
    const photos = await fetchPhotos([at('/slow.jpg')], { fetcher, cache }, { signal }, { ...bounds, timeoutMs: 100 });
    expect(photos.map(outcome)).toEqual(['the photos took longer than 0.1 s together']);
  });

  it('when all photos together are too large', async () => {
    paths.set('/1.jpg', await picture().jpeg().toBuffer());
    paths.set('/2.jpg', await picture().jpeg().toBuffer());
    const photos = await fetchPhotos(
      [at('/1.jpg'), at('/2.jpg')],
      { fetcher, cache },
      { signal },
      { ...bounds, parallelPerHost: 1, maxBytes: 1_000 },
    );
    expect(photos.map(outcome)).toEqual(['fetched', 'the photos are larger than 0.001 MB together']);
  });

  it('when its server did not answer for other photos, without another request', async () => {
    const silent = { ...bounds, parallelPerHost: 1, failuresPerHost: 2 };
    for (const name of ['/1', '/2', '/3', '/4']) paths.set(name, (_request, response) => response.destroy());
    const photos = await fetchPhotos(['/1', '/2', '/3', '/4'].map(at), { fetcher, cache }, { signal }, silent);
    expect(photos.map(outcome)).toEqual([
      'the server could not be reached or broke off',
      'the server could not be reached or broke off',
      'its server did not answer for other photos',
      'its server did not answer for other photos',
    ]);
    expect(server.requests.filter(request => request === 'GET /3')).toEqual([]);
  });
});

describe('a cropped photo', () => {
  it('has the exact pixels of the slot, is a plain JPEG without metadata, and has the same bytes every time', async () => {
    const source = await picture(1_920, 1_280)
      .withMetadata({ exif: { IFD0: { Copyright: 'someone' } } })
      .jpeg()
      .toBuffer();
    const photo = await fetched('/1.jpg', source);
    const body = await cropFor(photo, hero);
    expect(await sharp(body).metadata()).toMatchObject({
      format: 'jpeg',
      width: 1_240,
      height: 709,
      chromaSubsampling: '4:2:0',
      isProgressive: false,
      space: 'srgb',
      channels: 3,
    });
    expect(await sharp(body).metadata()).not.toHaveProperty('exif');
    await rm(folder, { recursive: true });
    cache = openPhotoCache(folder);
    expect(await cropFor(photo, hero)).toEqual(body);
  });

  it('of a small photo has the shape of the slot with the available pixels', async () => {
    const body = await cropFor(await fetched('/1.jpg', await picture(118, 300).jpeg().toBuffer()), grid);
    expect(await sharp(body).metadata()).toMatchObject({ width: 118, height: 82 });
  });

  it('of a transparent photo has a white background', async () => {
    const clear = await sharp({
      create: { width: 400, height: 300, channels: 4, background: { r: 255, g: 0, b: 0, alpha: 0 } },
    })
      .png()
      .toBuffer();
    expect(await pixel(await cropFor(await fetched('/1.png', clear), grid), 100, 100)).toEqual([255, 255, 255]);
  });

  it('of a rotated photo is upright', async () => {
    const halves = await sharp({ create: { width: 400, height: 200, channels: 3, background: '#00f' } })
      .composite([{ input: { create: { width: 200, height: 200, channels: 3, background: '#f00' } }, left: 0, top: 0 }])
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    const photo = await fetched('/1.jpg', halves);
    expect(photo).toMatchObject({ widthPx: 200, heightPx: 400 });
    const body = await cropFor(photo, { name: 'tall', widthMm: 20, heightMm: 40, crop: 'centre' });
    const [red] = await pixel(body, 50, 20);
    const [, , blue] = await pixel(body, 50, 200);
    expect(red).toBeGreaterThan(240);
    expect(blue).toBeGreaterThan(240);
  });

  it.each([
    ['grey', () => picture().greyscale().jpeg()],
    ['CMYK', () => picture().toColourspace('cmyk').jpeg()],
    ['AVIF', () => picture().avif({ effort: 0 })],
    ['palette PNG', () => picture().png({ palette: true })],
    ['16-bit PNG', () => picture().toColourspace('rgb16').png()],
  ])('of a %s photo has three channels', async (_kind, make) => {
    const body = await cropFor(await fetched('/1', await make().toBuffer()), hero);
    expect(await sharp(body).metadata()).toMatchObject({
      format: 'jpeg',
      space: 'srgb',
      channels: 3,
      width: 300,
      height: 172,
    });
  });

  it.each(['gif', 'webp'] as const)('of an animated %s is its first frame', async format => {
    const frames = Buffer.concat([Buffer.alloc(80 * 60 * 3, 200), Buffer.alloc(80 * 60 * 3, 10)]);
    const animated = await sharp(frames, { raw: { width: 80, height: 120, channels: 3, pageHeight: 60 } })
      .toFormat(format)
      .toBuffer();
    expect(await sharp(animated).metadata()).toMatchObject({ pages: 2 });
    const photo = await fetched('/1', animated);
    expect(photo).toMatchObject({ widthPx: 80, heightPx: 60 });
    const [red] = await pixel(await cropFor(photo, grid), 40, 20);
    expect(red).toBeGreaterThan(190);
  });

  it('is made once for the same photo and slot, with progress', async () => {
    const photo = await fetched('/1.jpg', await picture().jpeg().toBuffer());
    const progress: string[] = [];
    const [one, two, three] = await cropPhotos(
      [
        { photo, slot: grid },
        { photo, slot: hero },
        { photo, slot: { ...grid, name: 'another slot of the same shape' } },
      ],
      { fetcher, cache },
      { signal, onProgress: (done, total) => progress.push(`${done}/${total}`) },
    );
    expect(one).toEqual(three);
    expect(one).not.toEqual(two);
    expect(progress).toEqual(['1/2', '2/2']);
  });

  it('is made from a new download when the cache was emptied', async () => {
    const photo = await fetched('/1.jpg', await picture().jpeg().toBuffer());
    await rm(folder, { recursive: true, force: true });
    cache = openPhotoCache(folder);
    expect((await cropFor(photo, grid)).length).toBeGreaterThan(1_000);
    expect(server.requests).toHaveLength(2);
  });

  it('for another slot is made from a new download when the original has expired', async () => {
    await cropFor(await fetched('/1.jpg', await picture().jpeg().toBuffer()), hero);
    cache = openPhotoCache(folder);
    const [photo] = await fetchAll('/1.jpg');
    expect(server.requests).toHaveLength(1);
    if (!photo?.ok) throw new Error(photo?.reason);
    expect(await sharp(await cropFor(photo, grid)).metadata()).toMatchObject({ format: 'jpeg' });
    expect(server.requests).toHaveLength(2);
  });

  it('is reported as missing when its image data are damaged, and the others are cropped', async () => {
    const jpeg = await picture(600, 400).jpeg().toBuffer();
    // The frame header (marker 0xffc0) names a quantisation table that the file does not have.
    const damaged = Buffer.from(jpeg);
    damaged[jpeg.indexOf(Buffer.from([0xff, 0xc0])) + 12] = 3;
    const photo = await fetched('/1.jpg', damaged);
    const whole = await fetched('/2.jpg', jpeg);
    const cropped = await cropPhotos(
      [
        { photo, slot: grid },
        { photo: whole, slot: grid },
      ],
      { fetcher, cache },
      { signal },
    );
    expect(cropped).toMatchObject([{ ok: false, reason: 'the photo is damaged', transient: false }, { ok: true }]);
  });
});

describe('a cancelled job', () => {
  it('stops fetching at once', async () => {
    const stop = new AbortController();
    const reason = new Error('cancelled');
    paths.set('/slow.jpg', () => stop.abort(reason));
    await expect(fetchPhotos([at('/slow.jpg')], { fetcher, cache }, { signal: stop.signal })).rejects.toBe(reason);
  });

  it('crops no more photos', async () => {
    const photo = await fetched('/1.jpg', await picture().jpeg().toBuffer());
    const reason = new Error('cancelled');
    const aborted = AbortSignal.abort(reason);
    await expect(cropPhotos([{ photo, slot: grid }], { fetcher, cache }, { signal: aborted })).rejects.toBe(reason);
  });
});
