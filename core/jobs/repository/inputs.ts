/** Large job input, stored once under its hash; payloads refer to it. */
import { hash } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { jobInputTable } from '../schema.ts';

export interface JobInput {
  /** Hash of `body`, in hex. */
  sha256: string;
  /** JSON. */
  body: string;
}

export function toJobInput(value: unknown): JobInput {
  const body = JSON.stringify(value);
  return { sha256: hash('sha256', body), body };
}

export type JobInputs = ReturnType<typeof createJobInputs>;

export function createJobInputs(db: NodePgDatabase) {
  return {
    async put({ sha256, body }: JobInput): Promise<void> {
      // No flush to the disk of its own: the job's row follows in the WAL and flushes both.
      await db.execute(sql`
        with unflushed as (select set_config('synchronous_commit', 'off', true))
        insert into ${jobInputTable} (sha256, body) select ${sha256}, ${body} from unflushed
        on conflict (sha256) do update set used_at = now()`);
    },
    /** The stored value; undefined after its retention. */
    async get(sha256: string): Promise<unknown> {
      const [row] = await db.select().from(jobInputTable).where(eq(jobInputTable.sha256, sha256));
      return row && (JSON.parse(row.body) as unknown);
    },
  };
}
