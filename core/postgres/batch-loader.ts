/** Joins lookups that arrive at the same time into one query. */
import { deferred } from '../runtime/deferred.ts';

type Waiter<V> = ReturnType<typeof deferred<V | undefined>>;

/** Two queries keep PostgreSQL busy; further lookups wait for the next query. */
const maxConcurrentQueries = 2;

/**
 * Caches nothing: each query starts after the lookups that it answers, so no answer is stale. Makes a lookup with every
 * request cheap under load.
 * @param load answers all keys at once; a key without an entry gives undefined
 */
export function createBatchLoader<V>(
  load: (keys: string[]) => Promise<ReadonlyMap<string, V>>,
): (key: string) => Promise<V | undefined> {
  let waiting = new Map<string, Waiter<V>>();
  let running = 0;

  const begin = async (): Promise<void> => {
    if (waiting.size === 0 || running === maxConcurrentQueries) return;
    const batch = waiting;
    waiting = new Map();
    running++;
    try {
      const found = await load([...batch.keys()]);
      for (const [key, { resolve }] of batch) resolve(found.get(key));
    } catch (error) {
      for (const { reject } of batch.values()) reject(error);
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
