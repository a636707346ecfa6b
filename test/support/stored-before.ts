import type { Store } from '../../core/storage/store.ts';

/** The keys of all pages. */
export async function storedBefore(store: Store, time: Date): Promise<string[]> {
  const keys: string[] = [];
  let next: string | undefined;
  do {
    const page = await store.storedBefore(time, next);
    keys.push(...page.keys);
    next = page.next;
  } while (next !== undefined);
  return keys;
}
