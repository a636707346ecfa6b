/** Joins lookups that are asked for at the same time into one query. */

interface Waiting<V> {
  promise: Promise<V | undefined>;
  resolve(value: V | undefined): void;
  reject(error: unknown): void;
}

/** One under way and one to follow keep PostgreSQL busy; what is asked for meanwhile joins the next. */
const maxUnderWay = 2;

/**
 * Nothing is remembered: a query begins after all the questions it answers were asked, so no answer is older than its
 * question. Under load this is what makes a lookup with every request cheap.
 * @param load answers all keys at once; a key without an entry is answered with undefined
 */
export function createBatchLoader<V>(
  load: (keys: string[]) => Promise<ReadonlyMap<string, V>>,
): (key: string) => Promise<V | undefined> {
  let waiting = new Map<string, Waiting<V>>();
  let underWay = 0;

  const begin = async (): Promise<void> => {
    if (waiting.size === 0 || underWay === maxUnderWay) return;
    const asked = waiting;
    waiting = new Map();
    underWay++;
    try {
      const found = await load([...asked.keys()]);
      for (const [key, { resolve }] of asked) resolve(found.get(key));
    } catch (error) {
      for (const { reject } of asked.values()) reject(error);
    }
    underWay--;
    void begin();
  };

  return key => {
    // After the requests that arrived together with this one.
    if (waiting.size === 0) setImmediate(() => void begin());
    const joined = waiting.get(key) ?? defer<V>();
    waiting.set(key, joined);
    return joined.promise;
  };
}

function defer<V>(): Waiting<V> {
  let [resolve, reject]: [Waiting<V>['resolve'], Waiting<V>['reject']] = [() => {}, () => {}];
  const promise = new Promise<V | undefined>((yes, no) => {
    [resolve, reject] = [yes, no];
  });
  return { promise, resolve, reject };
}
