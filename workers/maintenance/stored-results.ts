/** Files of results whose time is over; a file that several jobs share stays until the last of them lets it go. */
import { and, eq, gte, inArray, isNotNull, lt, or, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { ResultFile } from '../../core/jobs/record.ts';
import { jobTable as job } from '../../core/jobs/schema.ts';

export interface ExpiredResults {
  /** Files of expired results, the oldest first. */
  find(limit: number): Promise<ResultFile[]>;
  /** Whether a job whose result is still answered has the file. */
  isInUse(key: string): Promise<boolean>;
  /** The expired results have the file no more. */
  forget(key: string): Promise<void>;
  /** Those of the keys that some job has, as its file or as what is kept about it. */
  known(keys: readonly string[]): Promise<Set<string>>;
}

export function createExpiredResults(db: NodePgDatabase): ExpiredResults {
  const withFile = (key: string) => and(isNotNull(job.resultFile), eq(sql`${job.resultFile}->>'key'`, key));
  return {
    async find(limit) {
      const rows = await db
        .select({ file: job.resultFile })
        .from(job)
        .where(and(isNotNull(job.resultFile), lt(job.resultExpiresAt, sql`now()`)))
        .orderBy(job.resultExpiresAt)
        .limit(limit);
      const files = rows.flatMap(({ file }) => file ?? []);
      return [...new Map(files.map(file => [file.key, file])).values()];
    },

    async isInUse(key) {
      return (await db.$count(job, and(withFile(key), gte(job.resultExpiresAt, sql`now()`)))) > 0;
    },

    async forget(key) {
      await db
        .update(job)
        .set({ resultFile: null })
        .where(and(withFile(key), lt(job.resultExpiresAt, sql`now()`)));
    },

    async known(keys) {
      if (keys.length === 0) return new Set();
      const [key, recordKey] = [sql`${job.resultFile}->>'key'`, sql`${job.resultFile}->>'recordKey'`];
      const rows = await db
        .select({ file: job.resultFile })
        .from(job)
        .where(and(isNotNull(job.resultFile), or(inArray(key, [...keys]), inArray(recordKey, [...keys]))));
      return new Set(
        rows.flatMap(({ file }) => [file?.key, file?.recordKey].filter(one => one !== undefined)),
      );
    },
  };
}
