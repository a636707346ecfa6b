/** Waits for job changes: woken by PostgreSQL notifications, with a poll as fallback because those can be missed. */
import { isAtRest } from '../../core/jobs/record.ts';
import type { JobRecords } from '../../core/jobs/repository/repository.ts';
import type { JobWaiter } from '../services.ts';

const pollEveryMs = 1_000;

export function openJobWaiter(records: Pick<JobRecords, 'find'>): JobWaiter {
  const wakers = new Map<string, Set<() => void>>();
  let closed = false;

  const nextChange: JobWaiter['nextChange'] = (jobId, signal, atMostMs = pollEveryMs) =>
    new Promise(resolve => {
      if (closed || signal.aborted) return resolve();
      const waiting = wakers.get(jobId) ?? new Set();
      wakers.set(jobId, waiting);
      const wake = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        waiting.delete(wake);
        if (waiting.size === 0) wakers.delete(jobId);
        resolve();
      };
      const timer = setTimeout(wake, Math.min(atMostMs, pollEveryMs));
      signal.addEventListener('abort', wake, { once: true });
      waiting.add(wake);
    });

  return {
    nextChange,
    async untilEnded(job, signal) {
      let latest = job;
      while (!isAtRest(latest.state) && !signal.aborted && !closed) {
        const changed = nextChange(job.id, signal);
        latest = (await records.find(job.id)) ?? latest;
        if (!isAtRest(latest.state)) await changed;
      }
      return latest;
    },
    changed(jobId) {
      for (const wake of [...(wakers.get(jobId) ?? [])]) wake();
    },
    close() {
      closed = true;
      for (const waiting of [...wakers.values()]) for (const wake of [...waiting]) wake();
    },
    get closed() {
      return closed;
    },
  };
}
