/** A signal that aborts when a time is over or another signal aborts; it leaves no listener behind (AbortSignal.any did, in Node.js 20). */

export interface TimeBound {
  readonly signal: AbortSignal;
  /** Whether it was the time that ended it. */
  readonly isOver: () => boolean;
  /** Stops the clock; call it in `finally`. */
  readonly release: () => void;
}

export function timeBound(timeoutMs: number, outer?: AbortSignal): TimeBound {
  const controller = new AbortController();
  const over = new DOMException(`more than ${timeoutMs} ms`, 'TimeoutError');
  const abortWithOuter = () => controller.abort(outer?.reason);
  const timer = setTimeout(() => controller.abort(over), timeoutMs);
  if (outer?.aborted) abortWithOuter();
  else outer?.addEventListener('abort', abortWithOuter, { once: true });
  return {
    signal: controller.signal,
    isOver: () => controller.signal.reason === over,
    release: () => {
      clearTimeout(timer);
      outer?.removeEventListener('abort', abortWithOuter);
    },
  };
}

/** Settles as `work` does, or rejects with the signal's reason as soon as it aborts; the work itself is left to end. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
