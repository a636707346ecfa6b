/** Alerts that are over, the messages that told of them, and the balances they were made of; as long as jobs are kept. */
import { inBatches } from '../in-batches.ts';
import { defineTask } from '../task.ts';

export default defineTask({
  name: 'alerts',
  run: ({ past, config: { JOB_RETENTION_DAYS: days } }, time) =>
    inBatches(time, {
      alerts: limit => past.alerts(days, limit),
      messages: limit => past.alertMessages(days, limit),
      balances: limit => past.smsBalances(days, limit),
    }),
});
