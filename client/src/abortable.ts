/** Abortable waiting: pauses, promises that end with a signal, and time limits. */

/** Returns the result of the work. @throws the signal's reason when it aborts before the work ends */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** @throws the signal's reason when it aborts before or during the pause */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const passed = new Promise<void>(resolve => {
    timer = setTimeout(resolve, ms);
  });
  await unlessAborted(passed, signal).finally(() => clearTimeout(timer));
}

export interface Deadline {
  signal: AbortSignal;
  /** Restarts the time limit. */
  restart(): void;
  /** Ends the time limit; the caller's signal still aborts. */
  lift(): void;
  /** Call when the work is done: clears the timer and the listener on the caller's signal. */
  release(): void;
}

/**
 * Combines a time limit and the caller's signal into one signal.
 * @param ms absent: no limit
 * @param late the reason of the signal when the time has passed
 */
export function deadline(ms: number | undefined, late: Error, signal?: AbortSignal): Deadline {
  // Not AbortSignal.any: Node.js 20 garbage-collects a timeout signal that only it refers to.
  const controller = new AbortController();
  const forwardAbort = () => controller.abort(signal?.reason);
  const startTimer = () => (ms === undefined ? undefined : setTimeout(() => controller.abort(late), ms));
  let timer = startTimer();
  if (signal?.aborted) forwardAbort();
  signal?.addEventListener('abort', forwardAbort, { once: true });
  return {
    signal: controller.signal,
    restart() {
      clearTimeout(timer);
      timer = startTimer();
    },
    lift() {
      clearTimeout(timer);
    },
    release() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', forwardAbort);
    },
  };
}
