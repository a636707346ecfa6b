/** The percentage of a brochure's progress is within 15 points of the share of its time. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type ExpectedWork, type ReportStage, withStageProgress } from '../../../../workers/pdf/progress.ts';
import { jobContext } from '../../../support/job-context.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Milliseconds for a photo (the first two) or a listing. */
interface Speed {
  photos: number;
  fitting: number;
  layout: number;
  printing: number;
  storing: number;
}

const photosPerListing = 10;

/** Makes a brochure at these speeds. @returns the largest distance of the percentage from linear, and the last report */
async function run(listings: number, speed: Speed, photos: Pick<ExpectedWork, 'fetched' | 'cropped'>, inParts = false) {
  const begun = performance.now();
  const seen: { at: number; percent: number }[] = [];
  let last = { stage: '', done: 0, total: 0 };
  const context = jobContext({
    progress: (stage, done, total, percent) => {
      seen.push({ at: performance.now() - begun, percent });
      last = { stage, done, total };
    },
  });
  const work = { listings, photos: listings * photosPerListing, ...photos };
  await withStageProgress(work, context, async report => {
    await countPhotos(report, 'photos', work.photos, speed.photos);
    if (inParts) return await makeParts(listings, speed, report);
    await countPhotos(report, 'fitting', work.photos, speed.fitting);
    for (const stage of ['layout', 'printing', 'storing'] as const) {
      report(stage, 0, listings * 2);
      await vi.advanceTimersByTimeAsync(speed[stage] * listings);
    }
  });
  const duration = performance.now() - begun;
  return { last, distance: Math.max(...seen.map(({ at, percent }) => Math.abs(percent - (100 * at) / duration))) };
}

async function countPhotos(report: ReportStage, stage: 'photos' | 'fitting', photos: number, ms: number) {
  report(stage, 0, photos);
  for (let photo = 1; photo <= photos; photo++) {
    await vi.advanceTimersByTimeAsync(ms);
    report(stage, photo, photos);
  }
}

/** Two parts of 20 listings at a time, on two cores: three quarters of the time of printing them one after the other. */
async function makeParts(listings: number, speed: Speed, report: ReportStage): Promise<void> {
  for (let from = 0; from < listings; from += 40) {
    const parts = [from, from + 20].map(first => ({ from: first, to: first + 20 }));
    for (let photo = 1; photo <= 20 * photosPerListing; photo++) {
      await vi.advanceTimersByTimeAsync(2 * speed.fitting);
      for (const part of parts) report('fitting', photo, 20 * photosPerListing, part);
    }
    for (const stage of ['layout', 'printing', 'storing'] as const) {
      for (const part of parts) report(stage, stage === 'storing' ? 1 : 0, 1, part);
      if (stage !== 'storing') await vi.advanceTimersByTimeAsync(speed[stage] * 30);
    }
  }
}

const isNew = { fetched: 1, cropped: 1 };
const isCached = { fetched: 0, cropped: 0 };
const network = { photos: 7, fitting: 20, layout: 22, printing: 30, storing: 5 };
const cached = { ...network, photos: 0.4, fitting: 0.5 };
const half = (speed: Speed): Speed => {
  const { photos, fitting, layout, printing, storing } = speed;
  return { photos: 2 * photos, fitting: 2 * fitting, layout: 2 * layout, printing: 2 * printing, storing: 2 * storing };
};

it.each([
  ['new photos', network, isNew, false],
  ['cached photos', cached, isCached, false],
  ['crops of expired photos', { ...cached, photos: 7 }, { fetched: 1, cropped: 0 }, false],
  ['new photos, on a computer of half the speed', half(network), isNew, false],
  ['cached photos, on a computer of half the speed', half(cached), isCached, false],
  ['new photos, printed in parts', network, isNew, true],
  ['cached photos, printed in parts', cached, isCached, true],
])('is within 15 points of linear with %s', async (_, speed, photos, inParts) => {
  for (const listings of inParts ? [160, 200] : [1, 20, 160]) {
    const { distance } = await run(listings, speed, photos, inParts);
    expect(distance, `${listings} listings`).toBeLessThan(15);
  }
});

it('counts listings while parts are made, and ends below 100 until the job does', async () => {
  expect((await run(200, network, isNew, true)).last).toEqual({ stage: 'printing', done: 200, total: 200 });
  const context = jobContext({ progress: (_, __, ___, percent) => expect(percent).toBeLessThanOrEqual(99) });
  await withStageProgress({ listings: 1, photos: 0, ...isNew }, context, async report => report('storing', 1, 1));
});
