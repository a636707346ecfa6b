/** Finds the photo that kills workers: the checkpoint of a job names the large photos that are being decoded. */
import { Mutex } from 'async-mutex';
import { z } from 'zod';
import type { Checkpoint } from '../../../core/jobs/handler.ts';
import { type DecodeWithin, decodeMegabytes, decodeWithin } from './decode-memory.ts';
import { PhotoUnusable } from './photo-unusable.ts';

/** Smaller pictures do not kill a worker, and need no write to the database. */
const largeMegabytes = 150;

const maxDeaths = 2;

/** Begun and not ended decodes, by URL: of this run, and of workers that died. */
const Checkpointed = z.object({ decoding: z.record(z.string(), z.int()) }).catch({ decoding: {} });

/** @returns a `decodeWithin` for one photo of the job, which refuses a photo while whose decodes two workers died */
export function watchLargePhotos(checkpoint: Checkpoint): (url: string) => DecodeWithin {
  const lock = new Mutex();
  const running = new Map<string, number>();

  /** @returns decodes of the photo that neither ended nor belong to this run */
  const count = (url: string, change: 1 | -1): Promise<number> =>
    lock.runExclusive(async () => {
      const { decoding } = Checkpointed.parse(await checkpoint.read());
      const ofRun = running.get(url) ?? 0;
      const died = (decoding[url] ?? 0) - ofRun;
      if (change === 1 && died >= maxDeaths) return died;
      running.set(url, ofRun + change);
      await checkpoint.write({ decoding: { ...decoding, [url]: (decoding[url] ?? 0) + change } });
      return died;
    });

  return url => async (shape, encoding, decode) => {
    if (decodeMegabytes(shape, encoding) < largeMegabytes) return await decodeWithin(shape, encoding, decode);
    const died = await count(url, 1);
    if (died >= maxDeaths) throw new PhotoUnusable(`${died} workers died while they decoded the photo`);
    try {
      return await decodeWithin(shape, encoding, decode);
    } finally {
      await count(url, -1);
    }
  };
}
