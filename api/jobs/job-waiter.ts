/** Waits for jobs to change: woken by PostgreSQL's notifications, with a poll underneath because those can be missed. */
import { isAtRest, type JobRecord, type JobRecords } from '../../core/jobs/record.ts';

export interface JobWatch {
  /** The job as soon as it has ended, or is held; as it is when the signal is aborted, or the watch closed, first. */
  untilEnded(job: JobRecord, signal: AbortSignal): Promise<JobRecord>;
  /**
   * Resolves when the job's row may have changed: told of a change, after a while, or when there is no use in waiting.
   * Ask for it before looking at the row, so that no change falls between the two.
   * @param atMostMs a second unless given less
   */
  nextChange(jobId: string, signal: AbortSignal, atMostMs?: number): Promise<void>;
  /** A job's row changed. */
  changed(jobId: string): void;
  /** Ends every wait, now and from now on: the API shuts down, and none may hold it up. */
  close(): void;
  readonly closed: boolean;
}

const pollEveryMs = 1_000;

export function openJobWatch(records: Pick<JobRecords, 'find'>): JobWatch {
  const wakers = new Map<string, Set<() => void>>();
  let closed = false;

  const nextChange: JobWatch['nextChange'] = (jobId, signal, atMostMs = pollEveryMs) =>
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
