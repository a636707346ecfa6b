/** Works through a list a few at a time. */

import { UpstreamError } from '../../core/integrations/kit/upstream-error.ts';
import type { JobContext } from '../../core/jobs/handler.ts';
import { asServiceError } from '../../core/runtime/errors.ts';
import type { ReportWriter } from '../../core/sync/report.ts';

/** Calls to the employee records under way at once. */
const lanes = 4;

/** @param done told after each one */
export async function inLanes<T>(
  items: readonly T[],
  { signal }: Pick<JobContext, 'signal'>,
  work: (item: T) => Promise<void>,
  done: (count: number) => void = () => {},
): Promise<void> {
  const queue = items.values();
  let count = 0;
  const lane = async (): Promise<void> => {
    for (const item of queue) {
      signal.throwIfAborted();
      await work(item);
      count += 1;
      done(count);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/**
 * What the system refuses for one employee stops nobody else; a system that is down stops the run, to be repeated.
 * @returns false when it was refused
 */
export async function unlessRefused(
  key: string,
  { signal, report }: { signal: AbortSignal; report: ReportWriter },
  work: () => Promise<unknown>,
): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (thrown) {
    signal.throwIfAborted();
    const error = asServiceError(thrown);
    if (error.passing || error.code === 'internal-error' || isAboutUs(error)) throw thrown;
    report.count('failed');
    // The faults' own sentences may quote the person's data: where they are is told, not what is there.
    const places = error.faults.map(({ pointer }) => pointer).filter(Boolean);
    report.row({ key, outcome: 'failed', reason: [error.message, ...places].join(' ') });
    return false;
  }
}

/** Credentials that are refused for one are refused for all. */
const isAboutUs = (error: Error): boolean => error instanceof UpstreamError && error.failure.status === 401;
