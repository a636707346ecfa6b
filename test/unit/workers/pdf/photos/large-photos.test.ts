/** A large photo while whose decodes two workers died is not decoded a third time; others of the job are. */
import { describe, expect, it } from 'vitest';
import type { Checkpoint } from '../../../../../core/jobs/handler.ts';
import { watchLargePhotos } from '../../../../../workers/pdf/photos/large-photos.ts';

const large = { widthPx: 8_000, heightPx: 6_000 };
const small = { widthPx: 4_000, heightPx: 3_000 };
const url = 'https://photos.example/1.jpg';
const other = 'https://photos.example/2.jpg';

/** What the database keeps for all runs of a job. */
function checkpointOfJob(): Checkpoint & { writes: number } {
  let stored: unknown;
  return {
    writes: 0,
    read: async () => stored,
    async write(value) {
      this.writes += 1;
      stored = value;
    },
  };
}

/** A run whose worker is killed while it decodes a photo: it writes nothing afterwards. */
async function dieDecoding(checkpoint: Checkpoint, photo: string): Promise<void> {
  let isDead = false;
  const ofRun: Checkpoint = {
    read: () => checkpoint.read(),
    async write(value) {
      if (isDead) throw new Error('this worker is dead');
      await checkpoint.write(value);
    },
  };
  const decoding = watchLargePhotos(ofRun)(photo)(large, 'progressive-jpeg', async () => {
    isDead = true;
  });
  await expect(decoding).rejects.toThrow('this worker is dead');
}

describe('a large photo', () => {
  it('is decoded after one worker died, and refused after two', async () => {
    const checkpoint = checkpointOfJob();
    await dieDecoding(checkpoint, url);
    expect(await watchLargePhotos(checkpoint)(url)(large, 'progressive-jpeg', async () => 'decoded')).toBe('decoded');
    await dieDecoding(checkpoint, url);
    const third = watchLargePhotos(checkpoint)(url)(large, 'progressive-jpeg', async () => 'decoded');
    await expect(third).rejects.toMatchObject({
      name: 'PhotoUnusable',
      message: '2 workers died while they decoded the photo',
    });
    expect(await watchLargePhotos(checkpoint)(other)(large, 'progressive-jpeg', async () => 'decoded')).toBe('decoded');
  });

  it('may be decoded by several crops of one run at once', async () => {
    const within = watchLargePhotos(checkpointOfJob())(url);
    const crops = Array.from({ length: 6 }, () => within(large, 'progressive-jpeg', async () => 'decoded'));
    expect(await Promise.all(crops)).toEqual(Array.from({ length: 6 }, () => 'decoded'));
  });

  it('is no longer counted when its decoder fails', async () => {
    const checkpoint = checkpointOfJob();
    for (let run = 0; run < 3; run++) {
      const failing = watchLargePhotos(checkpoint)(url)(large, 'progressive-jpeg', async () => {
        throw new Error('damaged');
      });
      await expect(failing).rejects.toThrow('damaged');
    }
  });
});

it('a photo of usual size costs no write', async () => {
  const checkpoint = checkpointOfJob();
  await watchLargePhotos(checkpoint)(url)(small, 'jpeg', async () => 'decoded');
  expect(checkpoint.writes).toBe(0);
});
