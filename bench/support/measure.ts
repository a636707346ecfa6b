/** Measurement of throughput. */

/** Processes the items with `slots` concurrent calls. @returns items per second */
export async function itemsPerSecond<T>(
  items: readonly T[],
  slots: number,
  each: (item: T, slot: number) => Promise<void>,
): Promise<number> {
  const remaining = [...items];
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: slots }, async (_, slot) => {
      for (let item = remaining.shift(); item !== undefined; item = remaining.shift()) await each(item, slot);
    }),
  );
  return items.length / ((performance.now() - startedAt) / 1_000);
}

export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
