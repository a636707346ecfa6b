/** Retries of calls to vendor systems, for every protocol. */
import { DelegateBackoff, handleWhen, retry } from 'cockatiel';
import type { CallClass } from './call.ts';
import { type CallContext, callContext } from './call-context.ts';
import { UpstreamError } from './upstream-error.ts';

type Priority = CallContext['priority'];

const firstDelayMs = 250;

/** @param send one attempt; throws UpstreamError for every failure of the system */
export async function withRetries<T>(callClass: CallClass, send: () => Promise<T>): Promise<T> {
  const { signal, priority, retries } = callContext();
  const retrying = retry(
    handleWhen(error => isRetryable(callClass, error)),
    {
      maxAttempts: retries ? retryLimit(priority) : 0,
      backoff: new DelegateBackoff(({ attempt, result }) =>
        retryDelayMs(attempt, 'error' in result ? result.error : undefined, priority),
      ),
    },
  );
  try {
    return await retrying.execute(send, signal);
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

/** Retries after the first attempt: an interactive caller gets its answer soon, background work waits. */
export const retryLimit = (priority: Priority): number => (priority === 'interactive' ? 2 : 6);

/**
 * The delay that the vendor asks for, else one that doubles with each attempt; with jitter, so that callers do not
 * return together.
 * @param attempt 1 for the first retry
 */
export function retryDelayMs(attempt: number, error: unknown, priority: Priority): number {
  const requested = error instanceof UpstreamError ? error.failure.retryAfterMs : undefined;
  const doubled = firstDelayMs * 2 ** (attempt - 1);
  const base = Math.min(requested ?? doubled, priority === 'interactive' ? 2_000 : 60_000);
  return requested === undefined ? base * (0.5 + Math.random() / 2) : base * (1 + Math.random() / 4);
}

function isRetryable(callClass: CallClass, error: Error): boolean {
  // The circuit rejects retries as well; after the rate limit, the caller has waited long enough.
  if (!(error instanceof UpstreamError) || !error.transient || ['paused', 'repeated'].includes(error.failure.kind))
    return false;
  return callClass !== 'create' || !error.maybeExecuted;
}
