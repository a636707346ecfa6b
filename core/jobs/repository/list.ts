/** Lists of jobs, newest first. The time of a page does not grow with the number of jobs, whatever the filter. */
import { and, desc, eq, gte, inArray, lt, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../postgres/client.ts';
import { type JobFilter, type JobRecord, JobState } from '../record.ts';
import { jobTable as job } from '../schema.ts';
import { failedBy } from './failures.ts';
import { hasTerm } from './inputs.ts';
import { jobColumns } from './rows.ts';

const newestFirst = [desc(job.createdAt), desc(job.id)];

export async function listJobs(db: Db, filter: JobFilter): Promise<JobRecord[]> {
  const { clientId, kind, state, since, until, term, cause, after, limit } = filter;
  const common = and(
    clientId === null ? undefined : eq(job.clientId, clientId),
    since && gte(job.createdAt, since),
    until && lt(job.createdAt, until),
    term === undefined ? undefined : hasTerm(term),
    cause && failedBy(cause),
    after && sql`(${job.createdAt}, ${job.id}) < (${after.createdAt.toISOString()}::timestamptz, ${after.id})`,
  );
  const list = db.select(jobColumns).from(job);
  if (kind === undefined && state === undefined && !cause)
    return await list
      .where(common)
      .orderBy(...newestFirst)
      .limit(limit);
  const states = cause ? ['failed'] : state === undefined ? JobState.options : [state];
  // One part of an index for each kind and state, each read from its newest job.
  const newest = sql`(
    select found.id from ${kind === undefined ? knownKinds : sql`(select ${kind}::text as kind) as wanted`}
    cross join unnest(${sql.param(states)}::text[]) as state
    cross join lateral (
      select ${job.id}, ${job.createdAt} from ${job}
      where ${job.kind} = wanted.kind and ${job.state} = state.state and ${common ?? sql`true`}
      order by ${job.createdAt} desc, ${job.id} desc limit ${limit}
    ) as found
    order by found.created_at desc, found.id desc limit ${limit})`;
  return await list.where(inArray(job.id, newest)).orderBy(...newestFirst);
}

/** Each kind that a job has; reads one index entry for each. */
const knownKinds: SQL = sql`(
  with recursive known (kind) as (
    select min(kind) from job
    union all select (select min(kind) from job where job.kind > known.kind) from known where known.kind is not null
  ) select kind from known where kind is not null) as wanted`;
