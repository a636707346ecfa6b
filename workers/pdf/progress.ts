/**
 * Progress of a brochure as the share of its time. Predicts the remaining time from the photos that the cache has, the speed
 * of the earlier brochures of this process, and how much faster or slower this one is.
 */
import type { JobContext } from '../../core/jobs/handler.ts';

/** Reports the current stage, of a part of the brochure or of all of it; the percentage is predicted. */
export type ReportStage = (stage: Stage, done: number, total: number, part?: Part) => void;

/** Parts are made at the same time. */
interface Part {
  /** Index of its first listing. */
  from: number;
  /** Index after its last listing. */
  to: number;
}

export interface ExpectedWork {
  design: string;
  listings: number;
  photos: number;
  /** Shares of the photos that must be fetched and cropped, 0 to 1. */
  fetched: number;
  cropped: number;
  /** Printed in parts: the stages after the photos take place at the same time, and are reported as one. */
  inParts?: boolean;
}

const stages = ['photos', 'fitting', 'layout', 'printing', 'checking', 'storing'] as const;
type Stage = (typeof stages)[number];

/** Number of listings up to which a brochure is printed while its photos are cropped; teaches no times of stages. */
export const shortList = 3;

/** Typical milliseconds for a photo (the first four) or a listing, on two cores. */
const typicalMs = { fetch: 6, find: 0.5, crop: 16, reuse: 0.6, layout: 20, printing: 25, checking: 2, storing: 3 };
type Step = keyof typeof typicalMs;
const listingSteps = ['layout', 'printing', 'checking', 'storing'] as const;
/** Of the time for a listing, in a brochure that is printed in parts. */
const shareInParts = 0.75;
/** Parts of a brochure that are made at once, for two cores. */
export const partsAtOnce = 2;
/** Share of a stage that is assumed to be done at most, because it does not count. */
const maxPassed = 0.9;

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
    const result = await run((stage, done, total, part) => {
      if (part) forecast.reachPart(stage, total === 0 ? 1 : done / total, part);
      else forecast.reach(stage, done, total);
      report();
    });
    forecast.learn();
    return result;
  } finally {
    clearInterval(timer);
  }
}

function createForecast({ design, listings, photos, fetched, cropped, inParts = false }: ExpectedWork) {
  const begunAt = performance.now();
  /** Number of photos or listings by stage and step. */
  const steps: readonly (readonly [Stage, Step, number])[] = [
    ['photos', 'fetch', photos * fetched],
    ['photos', 'find', photos * (1 - fetched)],
    ['fitting', 'crop', photos * cropped],
    ['fitting', 'reuse', photos * (1 - cropped)],
    ...listingSteps.map(step => [step, step, listings] as const),
  ];
  const keyOf = (step: Step, isPart = inParts) => `${design} ${step}${isPart ? ' in parts' : ''}`;
  const isFaster = (step: Step) => inParts && listingSteps.some(each => each === step);
  const msOf = (step: Step) =>
    measuredMs.get(keyOf(step)) ??
    (measuredMs.get(keyOf(step, false)) ?? typicalMs[step]) * (isFaster(step) ? shareInParts : 1);
  const msIn = (isIn: (stage: Stage) => boolean): number =>
    steps.reduce((sum, [stage, step, count]) => (isIn(stage) ? sum + count * msOf(step) : sum), 0);
  const reported = (stage: Stage): Stage => (inParts && stage !== 'photos' ? 'printing' : stage);
  const expectedMs = (stage: Stage) => msIn(of => reported(of) === stage);

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

  function reach(stage: Stage, done: number, total: number): void {
    const isSame = stage === current.stage;
    if (!isSame) took.set(current.stage, elapsedMs());
    current = { stage, done, total, at: isSame ? current.at : performance.now() };
  }

  const parts = new Map<number, { part: Part; stage: Stage; done: number; at: number }>();
  /** Listings of the parts, with the shares that are done; of a stage that does not count, by its expected time. */
  function listingsDone(): number {
    return [...parts.values()].reduce((sum, { part: { from, to }, stage, done, at }) => {
      const earlier = stages.slice(1, stages.indexOf(stage));
      const stageMs = msIn(of => of === stage);
      const passed = ((performance.now() - at) * listings) / Math.max(1, partsAtOnce * (to - from) * stageMs);
      const ms = msIn(of => earlier.includes(of)) + stageMs * Math.max(done, Math.min(maxPassed, passed));
      return sum + ((to - from) * ms) / Math.max(1, expectedMs('printing'));
    }, 0);
  }

  return {
    reach,
    /** @param done share of the stage */
    reachPart(stage: Stage, done: number, part: Part): void {
      parts.set(part.from, { part, stage, done, at: performance.now() });
      reach('printing', listingsDone(), listings);
    },
    now() {
      if (parts.size > 0) current.done = listingsDone();
      const later = stages.slice(stages.indexOf(current.stage) + 1);
      const remainingMs = restOfStage() + pace() * later.reduce((sum, stage) => sum + expectedMs(stage), 0);
      const elapsed = performance.now() - begunAt;
      const percent = Math.min(99, (100 * elapsed) / Math.max(1, elapsed + remainingMs));
      return { ...current, done: Math.floor(current.done), percent, remainingMs };
    },
    /** Towards the measured speed, further after a longer list; a stage of two steps corrects each by its part of the time. */
    learn(): void {
      took.set(current.stage, elapsedMs());
      // A stored brochure was not printed.
      if (!took.has('printing') || listings <= shortList) return;
      const weight = listings / (listings + listingsHalfWay);
      const learned = steps.map(([of, step, count]) => {
        const stage = reported(of);
        const expected = Math.max(1, expectedMs(stage));
        const ratio = Math.max(1, took.get(stage) ?? expected) / expected;
        return [keyOf(step), msOf(step) * ratio ** ((weight * count * msOf(step)) / expected)] as const;
      });
      for (const [key, ms] of learned) measuredMs.set(key, ms);
    },
  };
}
