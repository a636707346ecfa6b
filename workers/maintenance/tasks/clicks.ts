/** Clicks past their retention. */
import { deleteClicks } from '../../../core/domain/links/clicks.ts';
import { defineTask, inBatches } from '../task.ts';

export default defineTask({
  name: 'clicks',
  async run({ database, config }, time) {
    const days = config.CLICK_RETENTION_DAYS;
    if (days === undefined) return { counts: {}, finished: true };
    return await inBatches(time, { clicks: limit => deleteClicks(database, days, limit) });
  },
});
