/** Results that are used again: a job whose answer is known already is added as one that has succeeded. */
import { and, desc, eq, getTableColumns, gt, type SQL, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { alias } from 'drizzle-orm/pg-core';
import type { Db } from '../../postgres/session.ts';
import { workIds } from '../../telemetry/log-context.ts';
import { jobsAccepted } from '../../telemetry/meter.ts';
import type { JobRecords } from '../record.ts';
import { jobEditionTable } from '../schema/cache-versions.ts';
import { jobTable } from '../schema/jobs.ts';
import { countEnd, jobColumns, now } from './rows.ts';

/**
 * A result that ends sooner is not used again, so that its file is not deleted between the look and the insert: the file
 * goes with the last job that has it.
 */
const leastLeftMinutes = 15;

/**
 * One statement, prepared once a connection: a request that is answered this way waits for nothing else.
 * @param resultRetentionHours as with every job that succeeds
 */
export function createJobReuse(db: NodePgDatabase, resultRetentionHours: number): JobRecords['reuse'] {
  const source = alias(jobTable, 'source');
  const given = (name: string, type: string): SQL => sql`${sql.placeholder(name)}::${sql.raw(type)}`;
  const none = (type: string): SQL => sql`null::${sql.raw(type)}`;
  const payload = given('payload', 'jsonb');
  const answered = db
    .select({
      // Result, file, warnings and all that is the kind's.
      ...getTableColumns(source),
      id: given('id', 'text').as('id'),
      clientId: given('clientId', 'text').as('client_id'),
      requestId: given('requestId', 'text').as('request_id'),
      startBy: given('startBy', 'timestamptz').as('start_by'),
      createdAt: now.as('created_at'),
      queuedAt: now.as('queued_at'),
      finishedAt: now.as('finished_at'),
      touchedAt: now.as('touched_at'),
      resultExpiresAt: sql`now() + ${given('keptHours', 'int')} * interval '1 hour'`.as('result_expires_at'),
      reusedFrom: source.id,
      // It was never begun, and nobody asked it to stop.
      attemptsMade: sql`0`.as('attempts_made'),
      runId: none('uuid').as('run_id'),
      startedAt: none('timestamptz').as('started_at'),
      cancelRequestedAt: none('timestamptz').as('cancel_requested_at'),
      turn: sql`1`.as('turn'),
      // The next one is answered with the first job's result as well, so that those to look through stay few.
      reusableUntil: none('timestamptz').as('reusable_until'),
      edition: none('text').as('edition'),
    })
    .from(source)
    .innerJoin(
      jobEditionTable,
      and(eq(jobEditionTable.kind, source.kind), eq(jobEditionTable.edition, source.edition)),
    )
    .where(
      and(
        eq(source.kind, given('kind', 'text')),
        sql`md5(${source.payload}::text) = md5(${payload}::text)`,
        eq(source.payload, payload),
        eq(source.state, 'succeeded'),
        gt(source.reusableUntil, now),
        gt(source.resultExpiresAt, sql`now() + ${sql.raw(String(leastLeftMinutes))} * interval '1 minute'`),
      ),
    )
    .orderBy(desc(source.reusableUntil))
    .limit(1);
  const insert = db
    .insert(jobTable)
    .select(answered)
    .onConflictDoNothing()
    .returning(jobColumns)
    .prepare('job_reuse');

  return async ({ id, kind, clientId, payload, startBy }) => {
    const [job] = await insert.execute({
      id,
      kind,
      clientId,
      payload: JSON.stringify(payload),
      startBy: startBy?.toISOString() ?? null,
      requestId: workIds().requestId ?? null,
      keptHours: resultRetentionHours,
    });
    if (!job) return undefined;
    jobsAccepted.inc({ kind });
    countEnd(job);
    return job;
  };
}

export async function takeEdition(db: Db, kind: string, edition: string): Promise<void> {
  await db
    .insert(jobEditionTable)
    .values({ kind, edition })
    .onConflictDoUpdate({ target: jobEditionTable.kind, set: { edition, at: now } });
}
