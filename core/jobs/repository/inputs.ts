/** Large job input, stored once under its hash; payloads refer to it. */
import { hash } from 'node:crypto';
import { eq, type SQL, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { createBatchLoader } from '../../postgres/batch-loader.ts';
import { jobInputTable, jobTable } from '../schema.ts';

export interface JobInput {
  /** Hash of `body`, in hex. */
  sha256: string;
  /** JSON. */
  body: string;
  /** Reference numbers of listings or ids of leads, by which operators search jobs; no personal data. */
  searchTerms: readonly string[];
}

export function toJobInput(value: unknown, searchTerms: readonly string[] = []): JobInput {
  const body = JSON.stringify(value);
  return { sha256: hash('sha256', body), body, searchTerms: searchTerms.map(normalizeTerm) };
}

/** The index takes at most 2,700 bytes. */
const normalizeTerm = (term: string): string => term.trim().toUpperCase().slice(0, 200);

/**
 * Of jobs whose input has the search term, in upper or lower case. `offset 0` makes PostgreSQL look up the jobs of each
 * input: it overestimates their number, and would read all jobs instead.
 */
export const hasTerm = (term: string): SQL => sql`${jobTable.id} = any(array(
  select found.id from ${jobInputTable} cross join lateral (
    select job.id from ${jobTable} where job.payload ? 'input' and job.payload ->> 'input' = job_input.sha256 offset 0
  ) as found
  where job_input.search_terms @> array[${normalizeTerm(term)}]))`;

export type JobInputs = ReturnType<typeof createJobInputs>;

/** Larger inputs are stored by a statement of their own. */
const maxBatchedLength = 64_000;

export function createJobInputs(db: NodePgDatabase) {
  const putTogether = createBatchLoader<void, JobInput>(async given => {
    await putAll(db, given);
    return new Map();
  });
  return {
    put: (input: JobInput): Promise<void> =>
      input.body.length > maxBatchedLength ? putAll(db, [input]) : putTogether(input),
    /** The stored value; undefined after its retention. */
    async get(sha256: string): Promise<unknown> {
      const [row] = await db.select().from(jobInputTable).where(eq(jobInputTable.sha256, sha256));
      return row && (JSON.parse(row.body) as unknown);
    },
  };
}

async function putAll(db: NodePgDatabase, given: readonly JobInput[]): Promise<void> {
  // Each hash once, and in one order in all processes: the rows of known inputs are locked.
  const inputs = [...new Map(given.map(input => [input.sha256, input])).values()].sort((one, other) =>
    one.sha256 < other.sha256 ? -1 : 1,
  );
  const rows = inputs.map(
    ({ sha256, body, searchTerms }) => sql`(${sha256}, ${body}, ${sql.param([...searchTerms])}::text[])`,
  );
  // No flush to the disk of its own: the job's row follows in the WAL and flushes both.
  await db.execute(sql`
    with unflushed as (select set_config('synchronous_commit', 'off', true))
    insert into ${jobInputTable} (sha256, body, search_terms)
    select input.* from unflushed, (values ${sql.join(rows, sql`, `)}) as input
    on conflict (sha256) do update set used_at = now(), search_terms = excluded.search_terms`);
}
