/** Works through a list with so many under way at once, and measures it. */

/** @returns items a second */
export async function perSecond<T>(
  items: readonly T[],
  lanes: number,
  each: (item: T, lane: number) => Promise<void>,
): Promise<number> {
  const left = [...items];
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      for (let item = left.shift(); item !== undefined; item = left.shift()) await each(item, lane);
    }),
  );
  return items.length / ((performance.now() - begun) / 1_000);
}
