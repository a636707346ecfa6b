/** A time limit and the caller's own signal as one signal. */

export interface Deadline {
  signal: AbortSignal;
  /** The time begins anew. */
  postpone(): void;
  /** Must be called when the work is done: it lets go of the timer and of the caller's signal. */
  release(): void;
}

/**
 * @param ms absent: no limit
 * @param said what the `TimeoutError` says
 */
export function deadline(ms: number | undefined, said: string, signal?: AbortSignal): Deadline {
  // Not AbortSignal.any: Node.js 20 forgets a time-out signal that only it refers to.
  const controller = new AbortController();
  const passOn = () => controller.abort(signal?.reason);
  const begin = () =>
    ms === undefined
      ? undefined
      : setTimeout(() => controller.abort(new DOMException(said, 'TimeoutError')), ms);
  let timer = begin();
  if (signal?.aborted) passOn();
  signal?.addEventListener('abort', passOn, { once: true });
  return {
    signal: controller.signal,
    postpone() {
      clearTimeout(timer);
      timer = begin();
    },
    release() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', passOn);
    },
  };
}
