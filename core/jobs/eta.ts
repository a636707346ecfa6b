/** Typical run times per job kind, cached, and `Retry-After` values derived from them. */
import type { JobRecord } from './record.ts';
import type { JobEstimates, TypicalTimes } from './repository/estimates.ts';

const cacheMs = 5_000;
const minSeconds = 1;
const maxSeconds = 60;
/** For a kind without an ended job. */
const defaultSeconds = 2;

export function openJobEta(estimates: Pick<JobEstimates, 'typicalTimes'>) {
  const known = new Map<string, { readAt: number; times: Promise<TypicalTimes | undefined> }>();

  /** Undefined while too few jobs of the kind have finished. */
  const typical = (kind: string): Promise<TypicalTimes | undefined> => {
    const kept = known.get(kind);
    if (kept && Date.now() - kept.readAt < cacheMs) return kept.times;
    const times = estimates.typicalTimes(kind);
    known.set(kind, { readAt: Date.now(), times });
    // A failure is not cached.
    times.catch(() => known.delete(kind));
    return times;
  };

  return {
    typical,
    /** For `Retry-After`: estimated seconds until the job ends, 1 to 60. */
    async retryAfterSeconds({ kind, createdAt }: Pick<JobRecord, 'kind' | 'createdAt'>): Promise<number> {
      const times = await typical(kind);
      if (!times) return defaultSeconds;
      const sinceSeconds = (Date.now() - createdAt.getTime()) / 1_000;
      // Polling slows down for a job that takes longer than usual.
      const seconds = Math.max(times.totalSeconds - sinceSeconds, sinceSeconds / 10);
      return Math.min(maxSeconds, Math.max(minSeconds, Math.ceil(seconds)));
    },
  };
}
