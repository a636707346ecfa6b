/** Stored files: of expired results, and of no job. */
import { and, eq, gte, inArray, isNotNull, lt, or, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { ResultFile } from '../../../core/jobs/record.ts';
import { jobTable as job } from '../../../core/jobs/schema.ts';
import type { Database } from '../../../core/postgres/client.ts';
import { createSyncStates } from '../../../core/sync/states.ts';
import { chunks } from '../../../core/values/chunks.ts';
import { defineTask, type TaskContext } from '../task.ts';

const batchSize = 500;
/** A run reuses a stored brochure within its retention; the margin covers the duration of the run. */
const orphanMarginHours = 2;

/** A file that several jobs share is deleted with its last result. */
const expiredResults = defineTask({
  name: 'expired-results',
  async run(context, time) {
    const counts = { files: 0 };
    while (!time.isOver()) {
      const files = await findExpired(context.database);
      if (files.length === 0) return { counts, finished: true };
      for (const file of files) counts.files += await deleteUnlessInUse(file, context);
    }
    return { counts, finished: false };
  },
});

const orphanCursor = 'orphaned-results';

/** Files without a job: a worker died, or the job was cancelled, between storing the file and writing the job's row. */
const orphanedResults = defineTask({
  name: orphanCursor,
  async run({ database, results, config }, time) {
    const before = new Date(Date.now() - (config.RESULT_RETENTION_HOURS + orphanMarginHours) * 3_600_000);
    const counts = { files: 0, unfinished: await results.removeAbandoned() };
    const states = createSyncStates(database);
    let next = z
      .string()
      .optional()
      .catch(undefined)
      .parse((await states.read(orphanCursor))?.cursor ?? undefined);
    do {
      const page = await results.storedBefore(before, next);
      for (const keys of chunks(page.keys, batchSize)) {
        const known = await findKnown(database, keys);
        for (const key of keys.filter(one => !known.has(one))) {
          await results.delete(key);
          counts.files++;
        }
      }
      next = page.next;
      await states.write(orphanCursor, { asOf: new Date(), cursor: next ?? null });
    } while (next !== undefined && !time.isOver());
    return { counts, finished: next === undefined };
  },
});

export default [expiredResults, orphanedResults];

const isExpired = lt(job.resultExpiresAt, sql`now()`);
const hasFile = (key: string) => and(isNotNull(job.resultFile), eq(sql`${job.resultFile}->>'key'`, key));

/** The oldest first. */
async function findExpired(database: Database): Promise<ResultFile[]> {
  const rows = await database
    .select({ file: job.resultFile })
    .from(job)
    .where(and(isNotNull(job.resultFile), isExpired))
    .orderBy(job.resultExpiresAt)
    .limit(batchSize);
  return [...new Map(rows.flatMap(({ file }) => (file ? [[file.key, file] as const] : []))).values()];
}

/** @returns the number of deleted results */
async function deleteUnlessInUse({ key, recordKey }: ResultFile, { database, results }: TaskContext): Promise<number> {
  const isAvailable = gte(job.resultExpiresAt, sql`now()`);
  const isInUse = (await database.$count(job, and(hasFile(key), isAvailable))) > 0;
  if (!isInUse) {
    await results.delete(key);
    if (recordKey !== undefined) await results.delete(recordKey);
  }
  // Last, so that an interrupted deletion is repeated.
  await database
    .update(job)
    .set({ resultFile: null })
    .where(and(hasFile(key), isExpired));
  return isInUse ? 0 : 1;
}

/** Those of the keys that belong to a job, as its file or the description of it. */
async function findKnown(database: Database, keys: readonly string[]): Promise<Set<string>> {
  const [key, recordKey] = [sql`${job.resultFile}->>'key'`, sql`${job.resultFile}->>'recordKey'`];
  const rows = await database
    .select({ file: job.resultFile })
    .from(job)
    .where(and(isNotNull(job.resultFile), or(inArray(key, [...keys]), inArray(recordKey, [...keys]))));
  return new Set(rows.flatMap(({ file }) => [file?.key, file?.recordKey].filter(one => one !== undefined)));
}
