/** Waits for jobs to end: woken by PostgreSQL's notifications, with a poll underneath because those can be missed. */
import { isFinal, type JobRecord, type JobRecords } from '../core/job-record.ts';

export interface JobWatch {
  /** The job as soon as it has ended; as it is when the signal is aborted first. */
  untilEnded(job: JobRecord, signal: AbortSignal): Promise<JobRecord>;
  /** A job's row changed. */
  changed(jobId: string): void;
}

const pollEveryMs = 1_000;

export function openJobWatch(records: JobRecords): JobWatch {
  const wakers = new Map<string, Set<() => void>>();

  const nextChange = (jobId: string, signal: AbortSignal): Promise<void> =>
    new Promise(resolve => {
      const waiting = wakers.get(jobId) ?? new Set();
      wakers.set(jobId, waiting);
      const wake = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        waiting.delete(wake);
        if (waiting.size === 0) wakers.delete(jobId);
        resolve();
      };
      const timer = setTimeout(wake, pollEveryMs);
      signal.addEventListener('abort', wake, { once: true });
      waiting.add(wake);
    });

  return {
    async untilEnded(job, signal) {
      let latest = job;
      while (!isFinal(latest.state) && !signal.aborted) {
        // Listening begins before the look, so that no change falls between the two.
        const changed = nextChange(job.id, signal);
        latest = (await records.find(job.id)) ?? latest;
        if (!isFinal(latest.state)) await changed;
      }
      return latest;
    },
    changed(jobId) {
      for (const wake of [...(wakers.get(jobId) ?? [])]) wake();
    },
  };
}
