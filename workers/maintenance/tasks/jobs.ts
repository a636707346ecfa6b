/** Jobs that ended long ago, with all that belongs to them, and input that no job refers to any more. */
import { inBatches } from '../in-batches.ts';
import { defineTask } from '../task.ts';

export default defineTask({
  name: 'jobs',
  run: ({ past, config: { JOB_RETENTION_DAYS: days } }, time) =>
    inBatches(time, {
      jobs: limit => past.jobs(days, limit),
      inputs: limit => past.jobInputs(days, limit),
    }),
});
