/** What was done once in outside systems, so long ago that nobody asks for it again; and budgets nobody draws on. */
import { inBatches } from '../in-batches.ts';
import { defineTask } from '../task.ts';

export default defineTask({
  name: 'effects',
  run: ({ past, config: { EFFECT_RETENTION_DAYS: days } }, time) =>
    inBatches(time, {
      effects: limit => past.effects(days, limit),
      // They tell which activity was told: as long as the ledger knows that it was.
      activityNotes: limit => past.activityNotes(days, limit),
      callBudgets: past.callBudgets,
    }),
});
