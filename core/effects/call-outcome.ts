/** What is known of a call that failed: whether it took effect in the outside system, and whether it still may. */

import { UpstreamError } from '../integrations/kit/upstream-error.ts';
import { ServiceError } from '../runtime/errors.ts';

/** An answer of the system itself ends the call; what stands before it gives up sooner than the system does. */
export function hasEnded(error: unknown): boolean {
  const status = error instanceof UpstreamError ? error.failure.status : undefined;
  return status !== undefined && ![502, 503, 504].includes(status);
}

/** Connectors turn refusals into our own errors; what is none of them may have broken off anywhere. */
export function surelyDidNotRun(error: unknown): boolean {
  if (error instanceof UpstreamError) return !error.failure.mayHaveRun;
  return error instanceof ServiceError;
}
