/** How often and how soon a call is repeated: a person who waits gets an answer early, background work is patient. */
import type { CallScope } from './call-context.ts';
import { UpstreamError } from './upstream-error.ts';

const firstDelayMs = 250;

/** Repeats after the first try. */
export const retryLimit = (priority: CallScope['priority']): number => (priority === 'interactive' ? 2 : 6);

const longestDelayMs = (priority: CallScope['priority']): number =>
  priority === 'interactive' ? 2_000 : 60_000;

/**
 * What the system asks for, else doubled with each attempt; with jitter, so that callers do not come back together.
 * @param attempt 1 for the first repeat
 */
export function retryDelayMs(attempt: number, error: unknown, priority: CallScope['priority']): number {
  const asked = error instanceof UpstreamError ? error.failure.retryAfterMs : undefined;
  const doubled = firstDelayMs * 2 ** (attempt - 1);
  const base = Math.min(asked ?? doubled, longestDelayMs(priority));
  return asked === undefined ? base * (0.5 + Math.random() / 2) : base * (1 + Math.random() / 4);
}
