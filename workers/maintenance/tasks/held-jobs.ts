/** Held jobs that nobody released: they are cancelled, and told to whoever waits for their end. */
import { endOldHeldJobs } from '../../../core/jobs/repository/expire-held.ts';
import { inBatches } from '../in-batches.ts';
import { defineTask } from '../task.ts';

export default defineTask({
  name: 'held-jobs',
  run: ({ database, config }, time) =>
    inBatches(time, { cancelled: limit => endOldHeldJobs(database, config.HELD_JOB_DAYS, limit) }),
});
