/** Waits for job changes: woken by PostgreSQL notifications, with a poll as fallback because those can be missed. */
import { isAtRest, type JobRecord } from './record.ts';
import type { JobRecords } from './repository/repository.ts';

const pollEveryMs = 1_000;

export function openJobWaiter(records: Pick<JobRecords, 'find'>) {
  const wakers = new Map<string, Set<() => void>>();
  let closed = false;

  /**
   * Resolves after a notification of a change, after `atMostMs`, on abort or on `close`. Call it before reading the job's
   * row: a change in between would be missed otherwise.
   * @param atMostMs at most 1,000, the default
   */
  const nextChange = (jobId: string, signal: AbortSignal, atMostMs = pollEveryMs): Promise<void> =>
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
    /** Resolves with the job when it has ended or is held, or with its current state on abort or `close`. */
    async untilEnded(job: JobRecord, signal: AbortSignal): Promise<JobRecord> {
      let latest = job;
      while (!isAtRest(latest.state) && !signal.aborted && !closed) {
        const changed = nextChange(job.id, signal);
        latest = (await records.find(job.id)) ?? latest;
        if (!isAtRest(latest.state)) await changed;
      }
      return latest;
    },
    /** Wakes the waiters of a job whose row has changed. */
    changed(jobId: string): void {
      for (const wake of [...(wakers.get(jobId) ?? [])]) wake();
    },
    /** For the shutdown: ends all waits, present and future. */
    close(): void {
      closed = true;
      for (const waiting of [...wakers.values()]) for (const wake of [...waiting]) wake();
    },
    get closed(): boolean {
      return closed;
    },
  };
}
