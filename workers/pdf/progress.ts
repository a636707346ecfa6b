/**
 * Progress of a brochure as the share of its time. Predicts the remaining time from the photos that the cache has, the speed
 * of the earlier brochures of this process, and how much faster or slower this one is.
 */
import type { JobContext } from '../../core/jobs/handler.ts';

/** Reports the current stage; the percentage is predicted. */
export type ReportStage = (stage: Stage, done: number, total: number) => void;

export interface ExpectedWork {
  design: string;
  listings: number;
  photos: number;
  /** Shares of the photos that must be fetched and cropped, 0 to 1. */
  fetched: number;
  cropped: number;
}

const stages = ['photos', 'fitting', 'layout', 'printing', 'checking', 'storing'] as const;
type Stage = (typeof stages)[number];

/** Number of listings up to which a brochure is printed while its photos are cropped; teaches no times of stages. */
export const shortList = 3;

/** Typical milliseconds for a photo (the first four) or a listing, on two cores. */
const typicalMs = { fetch: 6, find: 0.5, crop: 16, reuse: 0.6, layout: 20, printing: 25, checking: 2, storing: 3 };
type Step = keyof typeof typicalMs;

/** Milliseconds measured in this process, by design and step. */
const measuredMs = new Map<string, number>();

const reportEveryMs = 250;
/** Weight of the predicted speed beside the measured one, as a share of the stage's, or the brochure's, time. */
const weightInStage = 0.05;
const weightInBrochure = 0.3;
/** A brochure of so many listings moves the known speed half way to its own. */
const listingsHalfWay = 20;

/** Runs the work with a function that reports its stages, and learns the speed of a brochure that was printed. */
export async function withTimedProgress<T>(
  work: ExpectedWork,
  context: Pick<JobContext, 'progress'>,
  run: (report: ReportStage) => Promise<T>,
): Promise<T> {
  const forecast = createForecast(work);
  const report = (): void => {
    const { stage, done, total, percent, remainingMs } = forecast.now();
    context.progress(stage, done, total, percent, remainingMs);
  };
  report();
  const timer = setInterval(report, reportEveryMs);
  try {
    const result = await run((stage, done, total) => {
      forecast.reach(stage, done, total);
      report();
    });
    forecast.learn();
    return result;
  } finally {
    clearInterval(timer);
  }
}

function createForecast({ design, listings, photos, fetched, cropped }: ExpectedWork) {
  const begunAt = performance.now();
  const perListing = (['layout', 'printing', 'checking', 'storing'] as const).map(
    step => [step, step, listings] as const,
  );
  /** Number of photos or listings by stage and step. */
  const parts: readonly (readonly [Stage, Step, number])[] = [
    ['photos', 'fetch', photos * fetched],
    ['photos', 'find', photos * (1 - fetched)],
    ['fitting', 'crop', photos * cropped],
    ['fitting', 'reuse', photos * (1 - cropped)],
    ...perListing,
  ];
  const msOf = (step: Step) => measuredMs.get(`${design} ${step}`) ?? typicalMs[step];
  const expectedMs = (stage: Stage): number =>
    parts.reduce((sum, [of, step, count]) => (of === stage ? sum + count * msOf(step) : sum), 0);

  /** Milliseconds by ended stage. */
  const took = new Map<Stage, number>();
  let current = { stage: 'photos' as Stage, done: 0, total: photos, at: begunAt };
  const elapsedMs = () => performance.now() - current.at;
  const share = () => (current.total === 0 ? 0 : current.done / current.total);

  /** Time taken by the expected time; the network's speed says nothing about the later stages. */
  function pace(): number {
    const prior = weightInBrochure * stages.reduce((sum, stage) => sum + expectedMs(stage), 0);
    const known = [...took].map(([stage, ms]) => ({ stage, ms, expected: expectedMs(stage) }));
    if (share() > 0) known.push({ ...current, ms: elapsedMs(), expected: share() * expectedMs(current.stage) });
    const computed = known.filter(({ stage }) => stage !== 'photos' || fetched === 0);
    const sum = (of: 'ms' | 'expected') => computed.reduce((total, each) => total + each[of], prior);
    return sum('ms') / Math.max(1, sum('expected'));
  }

  function restOfStage(): number {
    const expected = expectedMs(current.stage);
    // A stage that does not count approaches its end when it takes longer than expected.
    if (share() === 0) return Math.max(pace() * expected - elapsedMs(), elapsedMs() / 10);
    const weight = Math.max(1, weightInStage * expected);
    return (1 - share()) * expected * ((weight + elapsedMs()) / (weight + share() * expected));
  }

  return {
    reach(stage: Stage, done: number, total: number): void {
      const isSame = stage === current.stage;
      if (!isSame) took.set(current.stage, elapsedMs());
      current = { stage, done, total, at: isSame ? current.at : performance.now() };
    },
    now() {
      const later = stages.slice(stages.indexOf(current.stage) + 1);
      const remainingMs = restOfStage() + pace() * later.reduce((sum, stage) => sum + expectedMs(stage), 0);
      const elapsed = performance.now() - begunAt;
      const percent = Math.min(99, (100 * elapsed) / Math.max(1, elapsed + remainingMs));
      return { ...current, percent, remainingMs };
    },
    /** Towards the measured speed, further after a longer list; a stage of two steps corrects each by its part of the time. */
    learn(): void {
      // A stored brochure was not printed.
      if (!took.has('printing') || listings <= shortList) return;
      took.set(current.stage, elapsedMs());
      const weight = listings / (listings + listingsHalfWay);
      const learned = parts.map(([stage, step, count]) => {
        const expected = Math.max(1, expectedMs(stage));
        const ratio = Math.max(1, took.get(stage) ?? expected) / expected;
        return [`${design} ${step}`, msOf(step) * ratio ** ((weight * count * msOf(step)) / expected)] as const;
      });
      for (const [key, ms] of learned) measuredMs.set(key, ms);
    },
  };
}
