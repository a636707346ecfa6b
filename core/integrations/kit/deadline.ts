/** One deadline for all calls of an interactive request, with retries and waits. */
import { AsyncResource } from 'node:async_hooks';
import { callContext } from './call-context.ts';
import { UpstreamError } from './upstream-error.ts';

export const deadlineCode = 'deadline';

/**
 * Aborts when the time is over, with an error that names what was tried, or with `outer`.
 * @returns the signal and a function that ends the timer
 */
export function openDeadline(seconds: number, outer: AbortSignal) {
  const controller = new AbortController();
  const abortWithOuter = () => controller.abort(outer.reason);
  if (outer.aborted) abortWithOuter();
  else outer.addEventListener('abort', abortWithOuter, { once: true });
  let timer: NodeJS.Timeout | undefined;
  return {
    signal: controller.signal,
    /** Call it in the context of the request, whose calls the error names. */
    start(): void {
      const expire = AsyncResource.bind(() => controller.abort(deadlineExceeded(seconds)));
      timer = setTimeout(expire, seconds * 1_000).unref();
    },
    clear(): void {
      clearTimeout(timer);
      outer.removeEventListener('abort', abortWithOuter);
    },
  };
}

/** A create may be in flight. */
function deadlineExceeded(seconds: number): UpstreamError {
  const { calls, sent, waits } = callContext();
  const tried = [...sent].map(([operation, times]) => (times === 1 ? operation : `${operation} (${times} times)`));
  const waiting = [...waits].map(({ reason }) => `waits for ${reason}`);
  const what = [...tried, ...waiting].join(', ') || 'no call was sent';
  return new UpstreamError('upstream-timeout', `The request was not finished within ${seconds} s; tried: ${what}.`, {
    kind: 'incomplete',
    after: 'no-answer',
    system: [...calls.keys()].at(-1) ?? 'unknown',
    code: deadlineCode,
  });
}
