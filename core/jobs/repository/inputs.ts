/** Large job input, stored once under its hash; payloads refer to it. */
import { hash } from 'node:crypto';
import { eq, type SQL, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { JobInput } from '../record.ts';
import { jobInputTable, jobTable } from '../schema.ts';

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

export const createJobInputs = (db: NodePgDatabase) => ({
  /** The stored value; undefined after its retention. */
  async get(sha256: string): Promise<unknown> {
    const [row] = await db.select().from(jobInputTable).where(eq(jobInputTable.sha256, sha256));
    return row && (JSON.parse(row.body) as unknown);
  },
});

/** Each hash once, and in one order in all processes: the rows of known inputs are locked. @param given records of `JobInput` */
export const storeInputs = (given: SQL): SQL => sql`
  insert into job_input (sha256, body, search_terms)
  select distinct on (sha256) input.* from ${given} as input (sha256 text, body text, "searchTerms" text[])
  order by sha256
  on conflict (sha256) do update set used_at = now(), search_terms = excluded.search_terms`;
