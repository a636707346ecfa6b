import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { decodeWithin, type Encoding } from '../../../../../workers/pdf/photos/decode-memory.ts';

/** Starts decoders of pictures with this many megapixels, and counts those that run at once. */
async function mostAtOnce(encoding: Encoding, megapixels: number, decoders: number): Promise<number> {
  let running = 0;
  let most = 0;
  const decode = async () => {
    running++;
    most = Math.max(most, running);
    await nextTurn();
    running--;
  };
  const shape = { widthPx: megapixels * 1_000, heightPx: 1_000 };
  await Promise.all(Array.from({ length: decoders }, () => decodeWithin(shape, encoding, decode)));
  return most;
}

it('decodes one large AVIF at a time, and many small photos', async () => {
  expect(await mostAtOnce('avif', 20, 10)).toBe(1);
  expect(await mostAtOnce('jpeg', 12, 10)).toBe(10);
});

it('decodes a picture that needs more than all of the memory alone', async () => {
  expect(await mostAtOnce('progressive-jpeg', 400, 3)).toBe(1);
});

it('goes on after a decoder has failed', async () => {
  const shape = { widthPx: 5_000, heightPx: 4_000 };
  const failing = () => decodeWithin(shape, 'avif', () => Promise.reject(new Error('damaged')));
  for (let round = 0; round < 3; round++) await expect(failing()).rejects.toThrow('damaged');
  expect(await decodeWithin(shape, 'avif', async () => 'decoded')).toBe('decoded');
});
