/** Runs asynchronous work on a list with bounded concurrency. */

export interface ConcurrencyOptions<T> {
  /** Items in progress at once. */
  limit: number;
  /** A lower limit for items with the same key, so that one slow key cannot take every slot. */
  perKey?: { limit: number; keyOf: (item: T) => string };
  /** No further item starts after it aborts. */
  signal?: AbortSignal;
  onProgress?: ((done: number, total: number) => void) | undefined;
}

/**
 * @returns the results in the order of the items
 * @throws the first error of `work`, or the signal's reason, after the items in progress have ended
 */
export async function mapConcurrent<T, R>(
  items: Iterable<T>,
  { limit, perKey, signal, onProgress }: ConcurrencyOptions<T>,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const keyOf = perKey?.keyOf ?? (() => '');
  const keyLimit = perKey?.limit ?? limit;
  const waiting = [...items].map((item, index) => ({ item, index, key: keyOf(item) }));
  const total = waiting.length;
  const inProgress = new Map<string, number>();
  const results: R[] = [];
  let done = 0;
  let failed = false;

  /** Ends when the keys of all waiting items are at their limit: a runner with such a key takes them next. */
  async function runner(): Promise<void> {
    while (!failed) {
      signal?.throwIfAborted();
      const next = waiting.findIndex(({ key }) => (inProgress.get(key) ?? 0) < keyLimit);
      const [entry] = next === -1 ? [] : waiting.splice(next, 1);
      if (!entry) return;
      const { item, index, key } = entry;
      inProgress.set(key, (inProgress.get(key) ?? 0) + 1);
      results[index] = await work(item).finally(() => inProgress.set(key, (inProgress.get(key) ?? 1) - 1));
      done += 1;
      onProgress?.(done, total);
    }
  }

  const runners = Array.from({ length: Math.min(limit, total) }, () =>
    runner().catch((error: unknown) => {
      failed = true;
      throw error;
    }),
  );
  for (const ended of await Promise.allSettled(runners)) if (ended.status === 'rejected') throw ended.reason;
  return results;
}
