/**
 * Progress of a brochure as the share of its time, from which its end can be computed. The rest is predicted from the
 * speed of this job and of the earlier jobs of this process.
 */
import type { JobContext } from '../../core/jobs/handler.ts';

const everyMs = 250;
const stages = ['photos', 'fitting', 'layout', 'printing'];

/** Milliseconds for a listing, by stage; until a job of the design has been measured, typical ones of two cores. */
const speeds = new Map(
  Object.entries({ photos: 60, 'photos cached': 5, fitting: 160, 'fitting cached': 6, layout: 4, printing: 50 }),
);
/** Photos that take longer, in ms for a listing, come from the network. */
const maxCachedMs = 20;

/** Runs the work with a context whose progress has the share of the time as its percentage. */
export async function withTimedProgress<T>(
  { design, listings }: { design: string; listings: number },
  context: JobContext,
  work: (context: JobContext) => Promise<T>,
): Promise<T> {
  const begunAt = performance.now();
  /** Milliseconds by ended stage. */
  const took = new Map<string, number>();
  let current = { stage: 'photos', done: 0, total: 0, at: begunAt };
  const elapsedMs = () => performance.now() - current.at;

  const keyOf = (stage: string): string => {
    const photosMs = took.get('photos') ?? (elapsedMs() * current.total) / Math.max(1, current.done);
    const isCached = photosMs <= maxCachedMs * listings && (stage === 'photos' || stage === 'fitting');
    return isCached ? `${stage} cached` : stage;
  };
  const expectedMs = (stage: string): number =>
    listings * (speeds.get(`${design} ${keyOf(stage)}`) ?? speeds.get(keyOf(stage)) ?? 0);
  const restOfStage = (): number => {
    const share = current.total === 0 ? 0 : current.done / current.total;
    // A stage that does not count approaches its end when it takes longer than expected.
    if (share === 0) return Math.max(expectedMs(current.stage) - elapsedMs(), elapsedMs() / 10);
    const trust = Math.min(1, share * 4);
    return (1 - share) * (trust * (elapsedMs() / share) + (1 - trust) * expectedMs(current.stage));
  };
  const report = (): void => {
    const { stage, done, total } = current;
    const index = stages.indexOf(stage);
    const later = index === -1 ? [] : stages.slice(index + 1);
    const rest = restOfStage() + later.reduce((sum, name) => sum + expectedMs(name), 0);
    const elapsed = performance.now() - begunAt;
    context.progress(stage, done, total, Math.min(99, (100 * elapsed) / (elapsed + rest)));
  };
  const progress: JobContext['progress'] = (stage, done, total) => {
    const isSame = stage === current.stage;
    if (!isSame) took.set(current.stage, (took.get(current.stage) ?? 0) + elapsedMs());
    current = { stage, done, total, at: isSame ? current.at : performance.now() };
    report();
  };

  const timer = setInterval(report, everyMs);
  try {
    const result = await work({ ...context, progress });
    // A stored brochure was not printed.
    for (const stage of took.has('printing') ? stages : []) {
      const [key, ms] = [`${design} ${keyOf(stage)}`, (took.get(stage) ?? 0) / listings];
      speeds.set(key, ((speeds.get(key) ?? ms) + ms) / 2);
    }
    return result;
  } finally {
    clearInterval(timer);
  }
}
