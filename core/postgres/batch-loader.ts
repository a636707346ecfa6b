/** Joins lookups or inserts that arrive at the same time into one query. */

import { codeOf } from '../runtime/error-code.ts';
import { deferred } from '../runtime/timeout.ts';

type Waiter<V> = ReturnType<typeof deferred<V | undefined>>;

/** Two queries keep PostgreSQL busy; further lookups wait for the next query. */
const maxConcurrentQueries = 2;

/**
 * Caches nothing: each query starts after the lookups that it answers, so no answer is stale. Makes a lookup with every
 * request cheap under load.
 * @param load answers all keys at once; a key without an entry gives undefined
 */
export function createBatchLoader<V, K = string>(
  load: (keys: K[]) => Promise<ReadonlyMap<K, V>>,
): (key: K) => Promise<V | undefined> {
  let waiting = new Map<K, Waiter<V>>();
  let running = 0;

  const loadAlone = ([key, { resolve, reject }]: [K, Waiter<V>]): Promise<void> =>
    load([key]).then(found => resolve(found.get(key)), reject);

  const begin = async (): Promise<void> => {
    if (waiting.size === 0 || running === maxConcurrentQueries) return;
    const batch = waiting;
    waiting = new Map();
    running++;
    try {
      const found = await load([...batch.keys()]);
      for (const [key, { resolve }] of batch) resolve(found.get(key));
    } catch (error) {
      if (batch.size > 1 && isDataError(error)) await Promise.all([...batch].map(loadAlone));
      else for (const { reject } of batch.values()) reject(error);
    }
    running--;
    void begin();
  };

  return key => {
    // After all requests of the current turn of the event loop.
    if (waiting.size === 0) setImmediate(() => void begin());
    const waiter = waiting.get(key) ?? deferred<V | undefined>();
    waiting.set(key, waiter);
    return waiter.promise;
  };
}

/** PostgreSQL rejects the data of one key (SQLSTATE class 22): the others must not fail with it. */
const isDataError = (error: unknown): boolean =>
  error instanceof Error && [error, error.cause].some(each => codeOf(each).startsWith('22'));
