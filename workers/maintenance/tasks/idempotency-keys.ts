/** Idempotency keys whose day is over. */
import { inBatches } from '../in-batches.ts';
import { defineTask } from '../task.ts';

export default defineTask({
  name: 'idempotency-keys',
  run: ({ past }, time) => inBatches(time, { keys: past.idempotencyKeys }),
});
