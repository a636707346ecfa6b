/** Bodies with a limit in bytes, as received and after decompression. */
import { Readable } from 'node:stream';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readBody } from '../../../../core/egress/read-body.ts';

const text = Buffer.from('A villa with a pool.'.repeat(10));
const bodyOf = (...parts: Buffer[]) => Readable.from(parts);
const tooLarge = (limit: string) => ({ reason: 'too-large', message: `the file is larger than ${limit}` });

describe('a body', () => {
  it('is read to its end, and each part is reported', async () => {
    const parts: number[] = [];
    const body = bodyOf(text.subarray(0, 50), text.subarray(50));
    expect(await readBody(body, {}, 200, count => parts.push(count))).toEqual(text);
    expect(parts).toEqual([50, 150]);
  });

  it.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['GZIP', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['identity', (bytes: Buffer) => bytes],
  ])('in the encoding %s is decoded', async (encoding, encode) => {
    expect(await readBody(bodyOf(encode(text)), { 'content-encoding': encoding }, 200)).toEqual(text);
  });

  it.each(['zstd', 'gzip, br', 'toString', ''])(
    'in the encoding "%s" is rejected, and its transfer ends',
    async encoding => {
      const body = bodyOf(text);
      await expect(readBody(body, { 'content-encoding': encoding }, 200)).rejects.toMatchObject({
        reason: 'encoding',
        message: 'the server compressed its answer in an unknown way',
      });
      expect(body.destroyed).toBe(true);
    },
  );

  it('that is damaged is an error of the stream', async () => {
    const damaged = gzipSync(text).subarray(0, 30);
    await expect(readBody(bodyOf(damaged), { 'content-encoding': 'gzip' }, 200)).rejects.toThrow('unexpected end');
  });
});

describe('the limit', () => {
  it('may be reached, but not exceeded', async () => {
    expect(await readBody(bodyOf(text), { 'content-length': '200' }, 200)).toHaveLength(200);
    await expect(readBody(bodyOf(text), {}, 199)).rejects.toMatchObject(tooLarge('1 kB'));
  });

  it('applies to the length that the server states, before anything is read', async () => {
    const body = bodyOf(text);
    const parts: number[] = [];
    const reading = readBody(body, { 'content-length': '201' }, 200, count => parts.push(count));
    await expect(reading).rejects.toMatchObject(tooLarge('1 kB'));
    expect(parts).toEqual([]);
    expect(body.destroyed).toBe(true);
  });

  it('applies to the decompressed size, and ends the transfer', async () => {
    const body = bodyOf(gzipSync(Buffer.alloc(5_000_000)));
    await expect(readBody(body, { 'content-encoding': 'gzip' }, 100_000)).rejects.toMatchObject(tooLarge('100 kB'));
    expect(body.destroyed).toBe(true);
  });

  it.each([
    [1_001, '2 kB'],
    [999_999, '1000 kB'],
    [1_000_000, '1 MB'],
    [20_000_000, '20 MB'],
  ])('of %i bytes is named %s', async (limit, name) => {
    const headers = { 'content-length': String(limit + 1) };
    await expect(readBody(bodyOf(text), headers, limit)).rejects.toMatchObject(tooLarge(name));
  });

  it('of a body that fails later does not end the process', async () => {
    const body = bodyOf(text);
    await expect(readBody(body, { 'content-length': '900' }, 200)).rejects.toThrow();
    expect(() => body.emit('error', new Error('The connection broke.'))).not.toThrow();
  });
});
