/** Clicks on short links, where they are not kept for good. */
import { inBatches } from '../in-batches.ts';
import { defineTask } from '../task.ts';

export default defineTask({
  name: 'clicks',
  run: async ({ past, config: { CLICK_RETENTION_DAYS: days } }, time) =>
    days === undefined
      ? { counts: {}, finished: true }
      : inBatches(time, { clicks: limit => past.clicks(days, limit) }),
});
