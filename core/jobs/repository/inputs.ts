/** Large job input, stored once under its hash; payloads refer to it. */
import { hash } from 'node:crypto';
import { eq, inArray, type SQL, sql } from 'drizzle-orm';
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
 * Jobs whose input has the search term, in upper or lower case, or whose payload has it as a value: an id, a hash, an e-mail
 * address. Each part is answered by an index of its own; `offset 0` makes PostgreSQL look up the jobs of each input: it
 * overestimates their number, and would read all jobs instead.
 */
export const hasTerm = (term: string): SQL => sql`${jobTable.id} = any(array(
  select found.id from ${jobInputTable} cross join lateral (
    select job.id from ${jobTable} where job.payload ? 'input' and job.payload ->> 'input' = job_input.sha256 offset 0
  ) as found
  where job_input.search_terms @> array[${normalizeTerm(term)}]
  union all select id from ${jobTable} where payload ? 'input' and payload ->> 'input' = ${term}
  union all select id from ${jobTable} where payload ? 'mail' and payload ->> 'mail' = ${term}
  union all select id from ${jobTable} where not payload ? 'input' and payload @? ${hasValue(term)}::jsonpath))`;

/** A JSON path to a text, or number, that is the term. */
function hasValue(term: string): string {
  // PostgreSQL's texts have no NUL.
  const given = term.trim().replaceAll('\0', '');
  const values = [...new Set([given, given.toLowerCase()])].map(text => JSON.stringify(text));
  if (/^\d{1,15}$/.test(given)) values.push(String(Number(given)));
  return `$.* ? (${values.map(value => `@ == ${value}`).join(' || ')})`;
}

/** The search terms of the inputs of these jobs, by job id, in the order of the input. */
export async function termsOf(db: NodePgDatabase, ids: readonly string[]): Promise<Map<string, string[]>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .select({ id: jobTable.id, terms: jobInputTable.searchTerms })
    .from(jobTable)
    .innerJoin(jobInputTable, sql`${jobInputTable.sha256} = ${jobTable.payload} ->> 'input'`)
    .where(inArray(jobTable.id, [...ids]));
  return new Map(rows.map(({ id, terms }) => [id, terms ?? []]));
}

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
