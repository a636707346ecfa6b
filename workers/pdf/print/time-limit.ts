/** Waits for work no longer than it may take. */

/** @throws the signal's reason at once when it aborts, or Error when time is up; the work is then left to itself */
export async function within<T>(
  limitMs: number,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  let release = () => {};
  const givenUp = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => reject(new Error(`Not done after ${limitMs} ms.`)), limitMs);
    const aborted = () => reject(signal?.reason);
    signal?.addEventListener('abort', aborted);
    release = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', aborted);
    };
  });
  try {
    return await Promise.race([work(), givenUp]);
  } finally {
    release();
  }
}
