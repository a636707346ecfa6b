/** The percentage of a brochure's progress is the share of its time. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { withTimedProgress } from '../../../../workers/pdf/progress.ts';
import { jobContext } from '../../../support/job-context.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Milliseconds for a listing. */
interface Speed {
  photos: number;
  fitting: number;
  printing: number;
}

/** Runs a brochure with these speeds. @returns percentages with their times, and the duration */
async function run(listings: number, { photos, fitting, printing }: Speed) {
  const points: { at: number; percent: number }[] = [];
  const begun = performance.now();
  const since = () => performance.now() - begun;
  const context = jobContext({ progress: (_, __, ___, percent) => points.push({ at: since(), percent }) });
  const done = withTimedProgress({ design: 'new', listings }, context, async ({ progress }) => {
    for (const [stage, ms] of Object.entries({ photos, fitting })) {
      for (let photo = 1; photo <= listings * 9; photo++) {
        await vi.advanceTimersByTimeAsync(ms / 9);
        progress(stage, photo, listings * 9, 0);
      }
    }
    progress('layout', 0, listings * 2, 0);
    await vi.advanceTimersByTimeAsync(4 * listings);
    progress('printing', 0, listings * 2, 0);
    await vi.advanceTimersByTimeAsync(printing * listings);
    progress('checking', listings * 2, listings * 2, 0);
    return since();
  });
  return { points, duration: await done };
}

const network = { photos: 90, fitting: 225, printing: 72 };
const cached = { photos: 9, fitting: 9, printing: 72 };

describe.each([
  ['photos from the network', network],
  ['cached photos', cached],
  ['a slow network', { ...network, photos: 900 }],
])('with %s', (_, speed) => {
  it.each([1, 20, 160, 200])(
    'is within 10 points of linear, and its end within 30 percent, for %i listings',
    async listings => {
      // Earlier jobs, of which the predictions are learned.
      for (let job = 0; job < 3; job++) await run(20, speed);
      const { points, duration } = await run(listings, speed);
      for (const { at, percent } of points.filter(point => point.at < duration)) {
        const share = at / duration;
        if (at >= 300) expect(Math.abs(percent - 100 * share), `${percent} at ${share}`).toBeLessThan(10);
        const end = at * (100 / percent);
        if (share >= 0.2 && percent < 99) expect(Math.abs(end - duration) / duration).toBeLessThan(0.3);
      }
    },
  );
});

it('approaches the end of a stage that takes longer than expected, and never reports 100', async () => {
  await run(20, cached);
  const { points } = await run(20, { ...cached, printing: 1_000 });
  expect(Math.max(...points.map(({ percent }) => percent))).toBeLessThanOrEqual(99);
});
