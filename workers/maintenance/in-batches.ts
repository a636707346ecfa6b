/** Does something in batches until there is no more, or the time is over. */
import type { TaskOutcome, TaskTime } from './task.ts';

const batchSize = 1_000;

/** @param doBatch does so many at most, and tells how many there were */
export type DoBatch = (limit: number) => Promise<number>;

/** @param work what is counted → how a batch of it is done */
export async function inBatches(time: TaskTime, work: Record<string, DoBatch>): Promise<TaskOutcome> {
  const counts: Record<string, number> = {};
  for (const [what, doBatch] of Object.entries(work)) {
    let done = batchSize;
    let count = 0;
    while (done >= batchSize && !time.isOver()) {
      done = await doBatch(batchSize);
      count += done;
    }
    counts[what] = count;
    if (done >= batchSize) return { counts, finished: false };
  }
  return { counts, finished: true };
}
