/** A fetch that asks again while the service is busy, where asking again cannot do anything twice. */
import { pause } from './pause.ts';
import { retryAfterSeconds } from './portal-problem.ts';

export interface Patience {
  /** How often a request is sent again at most. */
  retries: number;
  /** A `Retry-After` that is longer than this is not waited for, in seconds. */
  longestWaitSeconds: number;
}

const busy: readonly number[] = [429, 503];
const firstPauseMs = 500;

/** Requests without effect, and those that the service does once for an `Idempotency-Key`. */
const mayBeRepeated = (request: Request): boolean =>
  ['GET', 'HEAD'].includes(request.method) || request.headers.has('idempotency-key');

/** @param isRepeatable besides the requests that may be repeated anyhow */
export function patientFetch(
  fetch: typeof globalThis.fetch,
  { retries, longestWaitSeconds }: Patience,
  isRepeatable: (request: Request) => boolean = () => false,
): typeof globalThis.fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const repeats = mayBeRepeated(request) || isRepeatable(request) ? retries : 0;
    for (let tries = 0; ; tries += 1) {
      const last = tries >= repeats;
      const response = await fetch(last ? request : request.clone()).catch((error: unknown) => {
        // A fetch that did not come through is a TypeError; anything else would only come again.
        if (last || !(error instanceof TypeError)) throw error;
        return undefined;
      });
      if (response && !busy.includes(response.status)) return response;
      const seconds = (response && retryAfterSeconds(response.headers)) ?? backOffSeconds(tries);
      if (response && (last || seconds > longestWaitSeconds)) return response;
      await response?.body?.cancel();
      await pause(seconds * 1_000, request.signal);
    }
  };
}

/** Half a second, doubled each time, spread so that many clients do not come back at once. */
const backOffSeconds = (tries: number): number =>
  (firstPauseMs / 1_000) * 2 ** tries * (0.5 + Math.random() / 2);
