/** Stored files that no job has: a worker died, or a job was cancelled, between the file and the job's row. */
import { createExpiredResults } from '../../../core/jobs/repository/expired-results.ts';
import { defineTask } from '../task.ts';

/** A brochure is reused as long as its result is kept; after that, and a run's longest time, nobody takes it up. */
const marginHours = 2;
const keysAtOnce = 500;

export default defineTask({
  name: 'orphaned-results',
  async run({ database, results, config }, time) {
    const rows = createExpiredResults(database);
    const before = new Date(Date.now() - (config.RESULT_RETENTION_HOURS + marginHours) * 3_600_000);
    const counts = { files: 0, unfinished: await results.removeAbandoned() };
    let old: string[] = [];
    const deleteOrphans = async () => {
      const known = await rows.known(old);
      for (const key of old.filter(one => !known.has(one))) {
        await results.delete(key);
        counts.files++;
      }
      old = [];
    };
    for await (const key of results.storedBefore(before)) {
      if (time.isOver()) return { counts, finished: false };
      old.push(key);
      if (old.length >= keysAtOnce) await deleteOrphans();
    }
    await deleteOrphans();
    return { counts, finished: true };
  },
});
