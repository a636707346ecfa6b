/** Clicks past their retention; their counts by day are kept. */
import { deleteVisitors, dropClickMonths, makeClickMonth } from '../../../core/domain/links/click-months.ts';
import { defineTask, inBatches } from '../task.ts';

/** A visitor's hash is one of a day in UTC, and a killed process's clicks are counted within seconds. */
const visitorDays = 3;

export default defineTask({
  name: 'clicks',
  async run({ database, config }, time) {
    await makeClickMonth(database);
    const days = config.CLICK_RETENTION_DAYS;
    return await inBatches(time, {
      visitors: limit => deleteVisitors(database, visitorDays, limit),
      ...(days !== undefined && { clicks: (limit: number) => dropClickMonths(database, days, limit) }),
    });
  },
});
