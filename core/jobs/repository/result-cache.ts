/** Result cache: a job whose result is already known is inserted as succeeded, and no worker runs it. */
import { and, desc, eq, getTableColumns, gt, type SQL, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { alias } from 'drizzle-orm/pg-core';
import type { Db } from '../../postgres/client.ts';
import { logContext } from '../../telemetry/log-context.ts';
import { jobsAccepted } from '../../telemetry/meter.ts';
import type { JobRecord, ReusingJob } from '../record.ts';
import { jobCacheVersionTable, jobTable } from '../schema.ts';
import { countEnd, jobColumns, now } from './rows.ts';

/** The retention left when a result is reused, so its file is not deleted between reading the row and the insert. */
const minRetentionMinutes = 15;

const parameter = (name: string, type: string): SQL => sql`${sql.placeholder(name)}::${sql.raw(type)}`;
const nothing = (type: string): SQL => sql`null::${sql.raw(type)}`;

const source = alias(jobTable, 'source');

/** Result, file, warnings and the columns of the kind are copied; the rest describes the new job, which never ran. */
const copiedColumns = {
  ...getTableColumns(source),
  id: parameter('id', 'text').as('id'),
  clientId: parameter('clientId', 'text').as('client_id'),
  requestId: parameter('requestId', 'text').as('request_id'),
  startBy: parameter('startBy', 'timestamptz').as('start_by'),
  createdAt: now.as('created_at'),
  queuedAt: now.as('queued_at'),
  finishedAt: now.as('finished_at'),
  touchedAt: now.as('touched_at'),
  resultExpiresAt: sql`now() + ${parameter('retentionHours', 'int')} * interval '1 hour'`.as('result_expires_at'),
  reusedFrom: source.id,
  attemptsMade: sql`0`.as('attempts_made'),
  runId: nothing('uuid').as('run_id'),
  startedAt: nothing('timestamptz').as('started_at'),
  cancelRequestedAt: nothing('timestamptz').as('cancel_requested_at'),
  fairOrder: sql`1`.as('turn'),
  // Later jobs reuse the first job's result as well, so that few rows are searched.
  reusableUntil: nothing('timestamptz').as('reusable_until'),
  cacheVersion: nothing('text').as('edition'),
};

/**
 * One statement, prepared once per connection.
 * @param resultRetentionHours applies to the reused result from now on
 */
export function createResultCache(db: NodePgDatabase, resultRetentionHours: number) {
  const payload = parameter('payload', 'jsonb');
  const reusable = db
    .select(copiedColumns)
    .from(source)
    .innerJoin(
      jobCacheVersionTable,
      and(eq(jobCacheVersionTable.kind, source.kind), eq(jobCacheVersionTable.cacheVersion, source.cacheVersion)),
    )
    .where(
      and(
        eq(source.kind, parameter('kind', 'text')),
        sql`md5(${source.payload}::text) = md5(${payload}::text)`,
        eq(source.payload, payload),
        eq(source.state, 'succeeded'),
        gt(source.reusableUntil, now),
        gt(source.resultExpiresAt, sql`now() + ${sql.raw(String(minRetentionMinutes))} * interval '1 minute'`),
      ),
    )
    .orderBy(desc(source.reusableUntil))
    .limit(1);
  const insert = db.insert(jobTable).select(reusable).onConflictDoNothing().returning(jobColumns).prepare('job_reuse');

  /** @param isStored whether the store has the file; a result without its file is not used again */
  return async function reuse(
    { id, kind, clientId, payload, startBy }: ReusingJob,
    isStored: (key: string) => Promise<boolean>,
  ): Promise<JobRecord | undefined> {
    const [job] = await insert.execute({
      id,
      kind,
      clientId,
      payload: JSON.stringify(payload),
      startBy: startBy?.toISOString() ?? null,
      requestId: logContext().requestId ?? null,
      retentionHours: resultRetentionHours,
    });
    if (!job) return undefined;
    if (job.resultFile && !(await isStored(job.resultFile.key))) {
      await dropLostResult(db, job.id, job.resultFile.key);
      return await reuse({ id, kind, clientId, payload, startBy }, isStored);
    }
    jobsAccepted.inc({ kind });
    countEnd(job);
    return job;
  };
}

/** Whether a kind has a result for a payload. A scalar subquery: a join could read all reusable results. */
export const isReusable = (kind: SQL, payload: SQL): SQL => sql`(
  select count(*) > 0 from (
    select from job as known join job_edition as version on version.kind = known.kind and version.edition = known.edition
    where known.kind = ${kind} and md5(known.payload::text) = md5(${payload}::text) and known.payload = ${payload}
      and known.state = 'succeeded' and known.reusable_until > now()
      and known.result_expires_at > now() + interval '${sql.raw(String(minRetentionMinutes))} minutes' limit 1
  ) as found)`;

/** Deletes the job that was inserted with the result, which no request knows yet. */
async function dropLostResult(db: Db, jobId: string, key: string): Promise<void> {
  await db.execute(sql`
    with dropped as (delete from ${jobTable} where id = ${jobId})
    update ${jobTable} set reusable_until = null
    where reusable_until is not null and result_file is not null and result_file ->> 'key' = ${key}`);
}

export async function setCacheVersion(db: Db, kind: string, cacheVersion: string): Promise<void> {
  await db
    .insert(jobCacheVersionTable)
    .values({ kind, cacheVersion })
    .onConflictDoUpdate({ target: jobCacheVersionTable.kind, set: { cacheVersion, at: now } });
}
