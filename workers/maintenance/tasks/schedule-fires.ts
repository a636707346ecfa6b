/** The fires of schedules, long ago. */
import { inBatches } from '../in-batches.ts';
import { defineTask } from '../task.ts';

export default defineTask({
  name: 'schedule-fires',
  run: ({ past, config }, time) =>
    inBatches(time, { fires: limit => past.fires(config.SCHEDULE_HISTORY_DAYS, limit) }),
});
