/** Inserts jobs: input, limit, priority and row of all jobs that arrive at the same time are one prepared statement. */
import { and, eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { createBatchLoader } from '../../postgres/batch-loader.ts';
import type { Db } from '../../postgres/client.ts';
import { ServiceError } from '../../runtime/errors.ts';
import { logContext } from '../../telemetry/log-context.ts';
import { jobsAccepted } from '../../telemetry/meter.ts';
import type { JobRecord, NewJob } from '../record.ts';
import { jobTable } from '../schema.ts';
import { storeInputs } from './inputs.ts';
import { countOpen, priorityAfter } from './priority.ts';
import { findJob, jobColumns, openStates } from './rows.ts';

/** A further try is needed only when a job ended between two statements. */
const insertTries = 5;

type InsertedJob = Omit<NewJob, 'callbackUrl'> & { requestId?: string | undefined };
type InsertRow = (job: InsertedJob) => Promise<JobRecord | undefined>;

/**
 * Inserts a job, or returns the existing job with its id, or the open job with its exclusive key.
 * @throws ServiceError too-many-requests above `maxOpen`
 */
export async function insertJob(
  db: Db,
  job: Omit<NewJob, 'callbackUrl'>,
  insert: InsertRow = async row => (await insertAll(prepareInsert(db), [row]))[0],
): Promise<{ job: JobRecord; isNew: boolean }> {
  for (let tries = 0; tries < insertTries; tries++) {
    const row = await insert({ ...job, requestId: logContext().requestId });
    if (row) {
      jobsAccepted.inc({ kind: job.kind });
      return { job: row, isNew: true };
    }
    if (job.maxOpen !== undefined) await rejectTooManyJobs(db, job, job.maxOpen);
    const other = (await findJob(db, job.id)) ?? (await findOpen(db, job.kind, job.exclusiveKey));
    if (other) return { job: other, isNew: false };
  }
  throw new Error(`PostgreSQL neither inserted nor found the job ${job.id}`);
}

/** Larger inputs are stored by a statement of their own. */
const maxBatchedLength = 64_000;

/** Inserts jobs that arrive at the same time in one statement, which is flushed to the disk once. */
export function insertTogether(db: NodePgDatabase): InsertRow {
  const prepared = prepareInsert(db);
  const together = createBatchLoader<JobRecord, InsertedJob>(async jobs => {
    const rows = new Map((await insertAll(prepared, jobs)).map(row => [row.id, row]));
    return new Map(
      jobs.flatMap(job => {
        const row = rows.get(job.id);
        return row ? [[job, row] as const] : [];
      }),
    );
  });
  return async job => {
    const isLarge = job.inputs?.some(({ body }) => body.length > maxBatchedLength);
    // A statement with several exclusive keys could wait for another one that waits for it.
    return isLarge || job.exclusiveKey !== undefined ? (await insertAll(prepared, [job]))[0] : await together(job);
  };
}

/** As JSON, so that the statement is the same for any number of jobs. */
const insertAll = (prepared: ReturnType<typeof prepareInsert>, jobs: readonly InsertedJob[]): Promise<JobRecord[]> =>
  prepared.execute({ jobs: JSON.stringify(jobs) });

/** Inserts and returns the given jobs, except those that are above their limit, or that exist. */
function prepareInsert(db: Db) {
  const cte = (name: string, as: SQL) => db.$with(name, {}).as(as);
  return db
    .with(
      cte(
        'given',
        sql`select * from json_to_recordset(${sql.placeholder('jobs')}::json) as given (
          id text, kind text, "clientId" text, payload jsonb, "exclusiveKey" text, "attemptsMax" int, "startBy" timestamptz,
          "requestId" text, inputs json, "maxOpen" int)`,
      ),
      // Counts the jobs of each client once.
      cte(
        'counted',
        sql`select kind, "clientId", ${countOpen(sql`given.kind`, sql`given."clientId"`)} as open
          from (select distinct kind, "clientId" from given) as given`,
      ),
      cte(
        'accepted',
        sql`select * from (
            select given.*, open + dense_rank() over (partition by kind, "clientId" order by id) - 1 as before
            from given join counted using (kind, "clientId")
          ) as given
          where coalesce(before < "maxOpen", true)`,
      ),
      cte('input', storeInputs(sql`accepted, json_to_recordset(accepted.inputs)`)),
      // Hides the table from the query below. In one order in all processes: a repeated id waits for the other insert.
      cte(
        'job',
        sql`insert into job (id, kind, client_id, payload, exclusive_key, attempts_max, start_by, request_id, priority)
          select id, kind, "clientId", payload, "exclusiveKey", "attemptsMax", "startBy", "requestId",
            ${priorityAfter(sql`before`)}
          from accepted order by id
          on conflict do nothing returning *`,
      ),
    )
    .select(jobColumns)
    .from(jobTable)
    .prepare('job_insert');
}

/** Seconds. */
const retryAfterSeconds = 10;

/** @throws ServiceError too-many-requests when the client has as many open jobs of the kind */
export async function rejectTooManyJobs(
  db: Db,
  { kind, clientId }: Pick<JobRecord, 'kind' | 'clientId'>,
  limit: number,
): Promise<void> {
  const { rows } = await db.execute(sql`select ${countOpen(sql`${kind}`, sql`${clientId}`, sql`${limit}`)} as open`);
  if (Number(rows[0]?.open) < limit) return;
  throw new ServiceError(
    'too-many-requests',
    `A client may have at most ${limit} open jobs of the kind ${kind}. Try again when some have ended.`,
    { retryAfterSeconds },
  );
}

async function findOpen(db: Db, kind: string, exclusiveKey?: string): Promise<JobRecord | undefined> {
  if (exclusiveKey === undefined) return undefined;
  const [row] = await db
    .select(jobColumns)
    .from(jobTable)
    .where(and(eq(jobTable.kind, kind), eq(jobTable.exclusiveKey, exclusiveKey), inArray(jobTable.state, openStates)));
  return row;
}
