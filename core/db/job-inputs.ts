/** Large job input, stored once by its hash; payloads refer to it. */
import { createHash } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { jobInputTable } from './schema/jobs.ts';

export interface JobInputs {
  /** @returns the SHA-256 of the JSON text, in hex */
  put(value: unknown): Promise<string>;
  /** The value again; undefined when it is no longer kept. */
  get(sha256: string): Promise<unknown>;
}

export function createJobInputs(db: NodePgDatabase): JobInputs {
  return {
    async put(value) {
      const body = JSON.stringify(value);
      const sha256 = createHash('sha256').update(body).digest('hex');
      await db.transaction(async tx => {
        // Not flushed to the disk by itself: the job's own row comes after it in the log, and flushes both.
        await tx.execute(sql`set local synchronous_commit = off`);
        await tx
          .insert(jobInputTable)
          .values({ sha256, body })
          .onConflictDoUpdate({ target: jobInputTable.sha256, set: { usedAt: sql`now()` } });
      });
      return sha256;
    },
    async get(sha256) {
      const [row] = await db.select().from(jobInputTable).where(eq(jobInputTable.sha256, sha256));
      return row && (JSON.parse(row.body) as unknown);
    },
  };
}
