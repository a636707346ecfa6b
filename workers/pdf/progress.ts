/** Progress of a brochure: each stage has a fixed share of the expected time, and the percentage is linear within it. */
import type { JobContext } from '../../core/jobs/handler.ts';

/** Reports the current stage, of a part of the brochure or of all of it. */
export type ReportStage = (stage: Stage, done: number, total: number, part?: Part) => void;

/** Parts are made at the same time. */
interface Part {
  /** Index of its first listing. */
  from: number;
  /** Index after its last listing. */
  to: number;
}

export interface ExpectedWork {
  listings: number;
  photos: number;
  /** Shares of the photos that must be fetched and cropped, 0 to 1. */
  fetched: number;
  cropped: number;
}

const stages = ['photos', 'fitting', 'layout', 'printing', 'checking', 'storing'] as const;
type Stage = (typeof stages)[number];

/** Milliseconds for a photo or a listing, measured on two cores; their ratios determine the shares of the stages. */
const photoMs = { fetch: 6, find: 0.5, crop: 16, reuse: 0.6 };
const listingMs = { layout: 20, printing: 25, checking: 2, storing: 3 };
/** Share of a stage that is assumed to be done at most, because it does not count. */
const maxPassed = 0.9;

const reportEveryMs = 250;

/** Runs the work with a function that reports its stages. */
export async function withStageProgress<T>(
  work: ExpectedWork,
  context: Pick<JobContext, 'progress'>,
  run: (report: ReportStage) => Promise<T>,
): Promise<T> {
  const stageMs = expectedStages(work);
  const totalMs = stages.reduce((sum, stage) => sum + stageMs[stage], 0);
  const whole: Part = { from: 0, to: work.listings };
  const begunAt = performance.now();
  /** The last report of each part, by its first listing; `pace`: time taken until then by the expected time. */
  const parts = new Map<number, { part: Part; stage: Stage; share: number; at: number; pace: number }>();
  let photosDone = 0;
  let latest = { stage: 'photos' as Stage, done: 0, total: work.photos, isPart: false };

  /** The time after the photos that the parts have behind them, in milliseconds of `stageMs`. */
  const partsMs = (): number =>
    [...parts.values()].reduce((sum, { part, stage, share, at, pace }) => {
      const size = (part.to - part.from) / work.listings;
      const earlier = stages.slice(1, stages.indexOf(stage)).reduce((ms, each) => ms + stageMs[each], 0);
      const passed = (performance.now() - at) / Math.max(1, size * stageMs[stage] * pace);
      return sum + size * (earlier + stageMs[stage] * Math.max(share, Math.min(maxPassed, passed)));
    }, 0);

  const report = (): void => {
    const ms = partsMs();
    const percent = Math.min(99, (100 * (photosDone * stageMs.photos + ms)) / totalMs);
    const { stage, done, total, isPart } = latest;
    const listings = Math.floor((work.listings * ms) / (totalMs - stageMs.photos));
    if (isPart) context.progress('printing', listings, work.listings, percent);
    else context.progress(stage, done, total, percent);
  };

  report();
  const timer = setInterval(report, reportEveryMs);
  try {
    return await run((stage, done, total, part) => {
      const share = total === 0 ? 1 : done / total;
      latest = { stage, done, total, isPart: part !== undefined };
      const at = performance.now();
      const behindMs = photosDone * stageMs.photos + partsMs();
      const pace = behindMs > 0 ? (at - begunAt) / behindMs : 1;
      if (stage === 'photos') photosDone = share;
      else parts.set(part?.from ?? 0, { part: part ?? whole, stage, share, at, pace });
      report();
    });
  } finally {
    clearInterval(timer);
  }
}

/** Milliseconds by stage. */
function expectedStages({ listings, photos, fetched, cropped }: ExpectedWork): Record<Stage, number> {
  return {
    photos: photos * (fetched * photoMs.fetch + (1 - fetched) * photoMs.find),
    fitting: photos * (cropped * photoMs.crop + (1 - cropped) * photoMs.reuse),
    layout: listings * listingMs.layout,
    printing: listings * listingMs.printing,
    checking: listings * listingMs.checking,
    storing: listings * listingMs.storing,
  };
}
