import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { maxFileBytes } from '../../../../../api/plugins/multipart.ts';
import type { Reply } from '../../../../support/api-client.ts';
import { useSandbox } from '../../../../support/sandbox.ts';
import { useClient, useService } from '../../../../support/test-service.ts';

const path = '/apps/property-projects/v1/images';
const Uploaded = z.object({
  url: z.string(),
  contentType: z.string(),
  bytes: z.int(),
  width: z.int(),
  height: z.int(),
});

const sandbox = useSandbox();
const service = useService('project images', () => ({
  sandboxUrl: sandbox.url,
  env: { PROPERTY_PROJECTS_IMAGE_MAX_MB: '1' },
}));
const client = useClient(service, ['projects:write']);

afterEach(() => sandbox.control.reset('property-projects'));

function upload(bytes: Buffer, { name = 'x', field = 'file', headers = {} } = {}): Promise<Reply> {
  const form = new FormData();
  form.append(field, new Blob([new Uint8Array(bytes)], { type: 'image/jpeg' }), name);
  return client.request('POST', path, { body: form, headers });
}
const plain = (width: number, height: number, channels: 3 | 4 = 3) =>
  sharp({ create: { width, height, channels, background: { r: 180, g: 160, b: 120, alpha: 0.5 } } });
const noise = (side: number) =>
  sharp({
    create: {
      width: side,
      height: side,
      channels: 3,
      background: '#888',
      noise: { type: 'gaussian', mean: 128, sigma: 60 },
    },
  });
const shown = async (reply: Reply) => {
  const { url, ...shownImage } = Uploaded.parse(reply.body);
  const answer = await fetch(url);
  return { shownImage, bytes: Buffer.from(await answer.arrayBuffer()), type: answer.headers.get('content-type') };
};

describe('an image', () => {
  it('is sent upright, without location and device metadata', async () => {
    const taken = await plain(400, 300)
      .jpeg()
      .withExif({ IFD0: { Make: 'SecretCam', Orientation: '6' }, IFD3: { GPSLatitude: '25/1 5/1 0/1' } })
      .withMetadata({ orientation: 6 })
      .toBuffer();
    expect((await sharp(taken).metadata()).exif).toBeDefined();
    const reply = await upload(taken);
    expect(reply.status).toBe(201);
    const { shownImage, bytes, type } = await shown(reply);
    expect(shownImage).toEqual({ contentType: 'image/jpeg', bytes: bytes.length, width: 300, height: 400 });
    expect(type).toBe('image/jpeg');
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'jpeg', width: 300, height: 400 });
    expect((await sharp(bytes).metadata()).exif).toBeUndefined();
  });

  it('stays transparent, whatever its name and type', async () => {
    const { shownImage, bytes } = await shown(
      await upload(await plain(64, 64, 4).webp().toBuffer(), { name: 'x.jpg' }),
    );
    expect(shownImage.contentType).toBe('image/png');
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'png', hasAlpha: true });
  });

  it('is reduced to the system’s maximum size', async () => {
    const large = await noise(1_400).jpeg({ quality: 95 }).toBuffer();
    expect(large.length).toBeGreaterThan(1_000_000);
    const { shownImage } = await shown(await upload(large));
    expect(shownImage.bytes).toBeLessThanOrEqual(1_000_000);
  });

  it('is uploaded once per Idempotency-Key', async () => {
    const bytes = await plain(64, 64).jpeg().toBuffer();
    const headers = { 'idempotency-key': 'cover' };
    const first = await upload(bytes, { headers });
    const again = await upload(bytes, { headers });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.body).toEqual(first.body);
    const other = await upload(await plain(65, 64).jpeg().toBuffer(), { headers });
    expect(other.status).toBe(422);
    expect((await sandbox.control.requests('property-projects')).byPath).toEqual({ 'POST /images': 1 });
  });
});

describe('an invalid upload', () => {
  const cutShort = async () => (await noise(200).jpeg().toBuffer()).subarray(0, 3_000);
  /** A small file whose header states 12,000 × 6,000 pixels. */
  const bomb = async () => {
    const bytes = await plain(8, 8).png().toBuffer();
    bytes.writeUInt32BE(12_000, 16);
    bytes.writeUInt32BE(6_000, 20);
    bytes.writeUInt32BE(crc32(bytes.subarray(12, 29)), 29);
    return bytes;
  };

  it.each([
    ['a page', async () => Buffer.from('<html><script>alert(1)</script></html>'), 'is not an image'],
    ['an SVG drawing', async () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'is not an image'],
    ['nothing', async () => Buffer.alloc(0), 'is not an image'],
    ['a photo cut short', cutShort, 'is truncated or damaged'],
    ['a small file of very many pixels', bomb, 'has 72 megapixels'],
  ])('returns 422 for %s and sends nothing', async (_, make, detail) => {
    const reply = await upload(await make(), { name: 'photo.jpg' });
    expect(reply).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/file', detail: expect.stringContaining(detail) }] },
    });
    expect((await sandbox.control.requests('property-projects')).total).toBe(0);
  });

  it('returns 422 for a form without the file', async () => {
    const reply = await upload(await plain(8, 8).jpeg().toBuffer(), { field: 'photo' });
    expect(reply).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/file', detail: 'must be a file' }, { pointer: '/photo' }] },
    });
  });

  it('returns 415 for another content type and 400 for an incomplete form', async () => {
    expect((await client.request('POST', path, { body: { file: 'x' } })).status).toBe(415);
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    expect((await client.request('POST', path, { body: '--x\r\nContent-Disp', headers })).status).toBe(400);
    expect(
      (await client.request('POST', path, { body: 'x', headers: { 'content-type': 'multipart/form-data' } })).status,
    ).toBe(400);
  });

  it('returns 413 for a file over 10 MB', async () =>
    expect((await upload(Buffer.alloc(maxFileBytes + 1, 0xff))).status).toBe(413));
});

describe('uploading', () => {
  it('reports that the system rejected the image or failed', async () => {
    const bytes = await plain(64, 64).jpeg().toBuffer();
    await sandbox.control.settings('property-projects', { imageMaxBytes: 10 });
    expect(await upload(bytes)).toMatchObject({ status: 422, body: { errors: [{ pointer: '/file' }] } });
    await sandbox.control.fault('property-projects', { fault: 'html', times: 9 });
    expect((await upload(bytes)).status).toBe(502);
  });
});
