/** Files of results whose time is over; a file that several jobs share stays until the last of them lets it go. */
import { createExpiredResults, type ExpiredResults } from '../../../core/jobs/repository/expired-results.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineTask } from '../task.ts';

const filesAtOnce = 500;

export default defineTask({
  name: 'expired-results',
  async run({ database, results }, time) {
    const expired = createExpiredResults(database);
    const counts = { files: 0 };
    while (!time.isOver()) {
      const found = await expired.find(filesAtOnce);
      if (found.length === 0) return { counts, finished: true };
      for (const file of found) counts.files += await deleteUnlessInUse(file, expired, results);
    }
    return { counts, finished: false };
  },
});

/** @returns how many results were deleted */
async function deleteUnlessInUse(
  { key, recordKey }: Awaited<ReturnType<ExpiredResults['find']>>[number],
  expired: ExpiredResults,
  results: Store,
): Promise<number> {
  const isInUse = await expired.isInUse(key);
  if (!isInUse) {
    await results.delete(key);
    if (recordKey !== undefined) await results.delete(recordKey);
  }
  // Last, so that a turn that is cut off is done again.
  await expired.forget(key);
  return isInUse ? 0 : 1;
}
