/**
 * Tells how many accepted jobs were found in no queue during the last day. Every worker looks for them every ten seconds
 * and puts them back (`core/jobs/reconciler.ts`): a queue that was lost could not bring the job that mends it.
 */
import { countPutBack } from '../../../core/jobs/repository/events.ts';
import { defineTask } from '../task.ts';

export default defineTask({
  name: 'lost-jobs',
  run: async ({ database }) => ({
    counts: { putBackLastDay: await countPutBack(database, 24) },
    finished: true,
  }),
});
