/** SMS that were sent, and the checks that allowed them: one time for both, because the one is the proof of the other. */
import { inBatches } from '../in-batches.ts';
import { defineTask } from '../task.ts';

export default defineTask({
  name: 'telephony',
  run: ({ past, config: { TELEPHONY_RETENTION_DAYS: days } }, time) =>
    inBatches(time, {
      messages: limit => past.smsMessages(days, limit),
      dncChecks: limit => past.dncChecks(days, limit),
    }),
});
