/** The percentage of a brochure's progress is the share of its time. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { percentAt } from '../../../../core/jobs/record.ts';
import { type ExpectedWork, type ReportStage, withTimedProgress } from '../../../../workers/pdf/progress.ts';
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

interface Point {
  at: number;
  percent: number;
  /** Predicted time of the end. */
  end: number;
}

const photosPerListing = 10;

/** Runs a brochure with these speeds. @returns what a caller sees every 50 ms, and the duration */
async function run(
  listings: number,
  speed: Speed,
  photos: Pick<ExpectedWork, 'fetched' | 'cropped'>,
  { inParts = false } = {},
) {
  const begun = performance.now();
  const since = () => performance.now() - begun;
  let last: Point | undefined;
  const seen: Point[] = [];
  const context = jobContext({
    progress: (_, __, ___, percent, remainingMs = 0) => {
      last = { at: since(), percent: Math.max(percent, last?.percent ?? 0), end: since() + remainingMs };
    },
  });
  const epoch = Date.now();
  const poll = setInterval(() => {
    if (last === undefined) return;
    const reported = { stage: '', done: 0, total: 0, percent: last.percent };
    const endsAt = new Date(epoch + last.end).toISOString();
    seen.push({ at: since(), percent: percentAt({ ...reported, endsAt }, epoch, Date.now()), end: last.end });
  }, 50);
  const work = { design: 'new', listings, photos: listings * photosPerListing, inParts, ...photos };
  await withTimedProgress(work, context, async report => {
    for (const stage of inParts ? (['photos'] as const) : (['photos', 'fitting'] as const)) {
      report(stage, 0, work.photos);
      for (let photo = 1; photo <= work.photos; photo++) {
        await vi.advanceTimersByTimeAsync(speed[stage]);
        report(stage, photo, work.photos);
      }
    }
    if (inParts) return await makeParts(listings, speed, report);
    for (const stage of ['layout', 'printing', 'storing'] as const) {
      report(stage, 0, listings * 2);
      await vi.advanceTimersByTimeAsync(speed[stage] * listings);
    }
  });
  clearInterval(poll);
  return { seen, duration: since() };
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

describe.each([
  ['new photos', network, network, isNew],
  ['cached photos', cached, cached, isCached],
  ['a slow network', network, { ...network, photos: 60 }, isNew],
  ['crops of expired photos', cached, { ...cached, photos: 7 }, { fetched: 1, cropped: 0 }],
])('with %s', (_, learned, speed, photos) => {
  it.each([1, 20, 160, 200])(
    'is within 10 points of linear, and its end within 30 percent, for %i listings',
    async listings => {
      // Earlier jobs, of which the predictions are learned.
      for (let job = 0; job < 3; job++) {
        await run(20, network, isNew);
        await run(20, learned, photos === isNew ? isNew : isCached);
      }
      const { seen, duration } = await run(listings, speed, photos);
      expect(seen.length).toBeGreaterThan(0);
      for (const { at, percent, end } of seen) {
        const share = at / duration;
        expect(Math.abs(percent - 100 * share), `${percent} at ${share}`).toBeLessThan(10);
        if (share >= 0.2) expect(Math.abs(end - duration) / duration, `${end} at ${share}`).toBeLessThan(0.3);
      }
    },
  );
});

it('measures the speed of a slower computer while it crops the photos', async () => {
  for (let job = 0; job < 3; job++) await run(20, network, isNew);
  const slow = { ...network, fitting: 40, layout: 44, printing: 60, storing: 10 };
  const { seen, duration } = await run(160, slow, isNew);
  for (const { at, percent } of seen) expect(Math.abs(percent - (100 * at) / duration)).toBeLessThan(10);
});

it('approaches the end of a stage that takes longer than expected, and never reports 100', async () => {
  await run(20, cached, isCached);
  const { seen } = await run(20, { ...cached, printing: 1_000 }, isCached);
  expect(Math.max(...seen.map(({ percent }) => percent))).toBeLessThanOrEqual(99);
});

it.each([
  ['new', network, isNew],
  ['cached', cached, isCached],
])('is within 10 points of linear for a list with %s photos that is printed in parts', async (_, speed, photos) => {
  for (let job = 0; job < 3; job++) await run(20, speed, photos);
  for (const listings of [200, 160]) {
    const { seen, duration } = await run(listings, speed, photos, { inParts: true });
    for (const { at, percent, end } of seen) {
      expect(Math.abs(percent - (100 * at) / duration), `${percent} at ${at}`).toBeLessThan(10);
      if (at >= 0.2 * duration) expect(Math.abs(end - duration) / duration, `${end} at ${at}`).toBeLessThan(0.3);
    }
  }
});
