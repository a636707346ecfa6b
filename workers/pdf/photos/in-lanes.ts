/** Works through a list in parallel, bounded in total and per lane, so that one slow lane cannot hold up the others. */

export interface Lanes<T> {
  total: number;
  perLane: number;
  laneOf(item: T): string;
  signal: AbortSignal;
}

/**
 * @returns the answers in the order of the items
 * @throws the first error of `work`, or the signal's reason, once nothing is running any more
 */
export async function inLanes<T, R>(
  items: readonly T[],
  lanes: Lanes<T>,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const answers: R[] = [];
  const waiting = items.map((item, index) => ({ item, index, lane: lanes.laneOf(item) }));
  const running = new Map<string, number>();
  let failed = false;

  /** Ends when every item still waiting is in a full lane: a runner of that lane takes it next. */
  async function runner(): Promise<void> {
    while (!failed) {
      lanes.signal.throwIfAborted();
      const next = waiting.findIndex(({ lane }) => (running.get(lane) ?? 0) < lanes.perLane);
      const [entry] = next === -1 ? [] : waiting.splice(next, 1);
      if (!entry) return;
      running.set(entry.lane, (running.get(entry.lane) ?? 0) + 1);
      answers[entry.index] = await work(entry.item).finally(() =>
        running.set(entry.lane, (running.get(entry.lane) ?? 1) - 1),
      );
    }
  }

  const runners = Array.from({ length: Math.min(lanes.total, items.length) }, () =>
    runner().catch((error: unknown) => {
      failed = true;
      throw error;
    }),
  );
  for (const ended of await Promise.allSettled(runners)) if (ended.status === 'rejected') throw ended.reason;
  return answers;
}
