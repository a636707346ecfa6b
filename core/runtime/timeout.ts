/** Time limits on asynchronous work. */

export interface Timeout {
  readonly signal: AbortSignal;
  /** True when the time limit aborted the signal, false when the outer signal did. */
  readonly hasExpired: () => boolean;
  /** Clears the timer and the listener; call it in `finally`. */
  readonly clear: () => void;
}

/** A signal that aborts after `timeoutMs` or with `outer`. `AbortSignal.any` leaks listeners in Node.js 20. */
export function createTimeout(timeoutMs: number, outer?: AbortSignal): Timeout {
  const controller = new AbortController();
  const expired = new DOMException(`more than ${timeoutMs} ms`, 'TimeoutError');
  const abortWithOuter = () => controller.abort(outer?.reason);
  const timer = setTimeout(() => controller.abort(expired), timeoutMs);
  if (outer?.aborted) abortWithOuter();
  else outer?.addEventListener('abort', abortWithOuter, { once: true });
  return {
    signal: controller.signal,
    hasExpired: () => controller.signal.reason === expired,
    clear: () => {
      clearTimeout(timer);
      outer?.removeEventListener('abort', abortWithOuter);
    },
  };
}

/** Settles as `work` does, or rejects with the signal's reason when it aborts first. Does not cancel the work. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/**
 * Settles as `work` does; after `timeoutMs`, as `onTimeout` does, which rejects by default. Does not cancel the work.
 * The timer does not keep the process alive.
 */
export async function withTimeout<T, L = never>(
  work: Promise<T>,
  timeoutMs: number,
  onTimeout: () => L | Promise<L> = () => Promise.reject(new Error(`no answer within ${timeoutMs} ms`)),
): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<void>(resolve => {
    timer = setTimeout(resolve, timeoutMs).unref();
  }).then(onTimeout);
  try {
    return await Promise.race([work, expired]);
  } finally {
    clearTimeout(timer);
  }
}

/** A promise with the functions that settle it. (`Promise.withResolvers` needs Node.js 22.) */
export function deferred<T>() {
  let [resolve, reject]: [(value: T) => void, (error: unknown) => void] = [() => {}, () => {}];
  const promise = new Promise<T>((yes, no) => {
    [resolve, reject] = [yes, no];
  });
  return { promise, resolve, reject };
}
