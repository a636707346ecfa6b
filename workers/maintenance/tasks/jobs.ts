/** Held jobs that were not released, and the number of lost jobs. */
import { cancelExpiredHeldJobs } from '../../../core/jobs/repository/cancel.ts';
import { countRequeued } from '../../../core/jobs/repository/events.ts';
import { defineTask, inBatches } from '../task.ts';

const heldJobs = defineTask({
  name: 'held-jobs',
  run: ({ database, config }, time) =>
    inBatches(time, { cancelled: limit => cancelExpiredHeldJobs(database, config.HELD_JOB_DAYS, limit) }),
});

/** Only reports: the reconciler of every worker requeues lost jobs, because a lost queue could not run this job. */
const lostJobs = defineTask({
  name: 'lost-jobs',
  run: async ({ database }) => ({
    counts: { putBackLastDay: await countRequeued(database, 24) },
    finished: true,
  }),
});

export default [heldJobs, lostJobs];
