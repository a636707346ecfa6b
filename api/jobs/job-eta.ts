/** How long jobs of a kind take, read now and then, and how soon it is worth asking for one again. */

import type { JobEstimates, TypicalTimes } from '../../core/jobs/repository/estimates.ts';
import type { JobEta } from '../services.ts';

const keptMs = 5_000;
const soonest = 1;
const latest = 60;
/** For a kind of which no job has ended yet. */
const unknown = 2;

export function openJobEta(outlook: Pick<JobEstimates, 'typicalTimes'>): JobEta {
  const known = new Map<string, { readAt: number; times: Promise<TypicalTimes | undefined> }>();

  const typical: JobEta['typical'] = kind => {
    const kept = known.get(kind);
    if (kept && Date.now() - kept.readAt < keptMs) return kept.times;
    const times = outlook.typicalTimes(kind);
    known.set(kind, { readAt: Date.now(), times });
    // A failure is told to those who asked, not to those who ask next.
    times.catch(() => known.delete(kind));
    return times;
  };

  return {
    typical,
    async retryAfterSeconds({ kind, createdAt }) {
      const times = await typical(kind);
      if (!times) return unknown;
      const sinceSeconds = (Date.now() - createdAt.getTime()) / 1_000;
      // A job that takes longer than usual is asked for more and more rarely.
      const seconds = Math.max(times.totalSeconds - sinceSeconds, sinceSeconds / 10);
      return Math.min(latest, Math.max(soonest, Math.ceil(seconds)));
    },
  };
}
