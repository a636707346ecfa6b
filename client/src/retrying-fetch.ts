/** Wraps a fetch: retries 429, 503 and failed connections, for requests that are safe to repeat. */
import { pause } from './abortable.ts';
import { retryAfterSeconds } from './portal-problem.ts';

export interface RetryOptions {
  /** Maximum number of retries of a request. */
  retries: number;
  /** A response with a longer `Retry-After` is returned instead of retried; in seconds. */
  longestWaitSeconds: number;
}

const busyStatuses: readonly number[] = [429, 503];
const firstBackoffMs = 500;

/** Reads, and requests that the service deduplicates by `Idempotency-Key`. */
const isSafeToRepeat = (request: Request): boolean =>
  ['GET', 'HEAD'].includes(request.method) || request.headers.has('idempotency-key');

/** @param isRepeatable allows further requests to be repeated */
export function retryingFetch(
  fetch: typeof globalThis.fetch,
  { retries, longestWaitSeconds }: RetryOptions,
  isRepeatable: (request: Request) => boolean = () => false,
): typeof globalThis.fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const maxRetries = isSafeToRepeat(request) || isRepeatable(request) ? retries : 0;
    for (let tries = 0; ; tries += 1) {
      const last = tries >= maxRetries;
      const response = await fetch(last ? request : request.clone()).catch((error: unknown) => {
        // A failed connection is a TypeError; other errors would repeat.
        if (last || !(error instanceof TypeError)) throw error;
        return undefined;
      });
      if (response && !busyStatuses.includes(response.status)) return response;
      const seconds = (response && retryAfterSeconds(response.headers)) ?? backoffSeconds(tries);
      if (response && (last || seconds > longestWaitSeconds)) return response;
      await response?.body?.cancel();
      await pause(seconds * 1_000, request.signal);
    }
  };
}

/** Half a second, doubled each time, with jitter. */
const backoffSeconds = (tries: number): number => (firstBackoffMs / 1_000) * 2 ** tries * (0.5 + Math.random() / 2);
