/** The job rows: the truth about every job. Each change of a row is announced on the channel `job` by a trigger. */
import { and, asc, desc, eq, gte, inArray, lt, or, type SQL, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core';
import type { JobFilter, JobRecords, JobRun, JobState } from '../job-record.ts';
import { jobTable } from './schema/jobs.ts';

/** The channel on which a trigger announces the id of every job that changed. */
export const jobChannel = 'job';

const waiting: JobState[] = ['queued', 'scheduled'];
const open: JobState[] = ['queued', 'scheduled', 'running'];

const columns = {
  id: jobTable.id,
  kind: jobTable.kind,
  clientId: jobTable.clientId,
  state: jobTable.state,
  payload: jobTable.payload,
  progress: jobTable.progress,
  attemptsMade: jobTable.attemptsMade,
  attemptsMax: jobTable.attemptsMax,
  createdAt: jobTable.createdAt,
  startedAt: jobTable.startedAt,
  finishedAt: jobTable.finishedAt,
  result: jobTable.result,
  resultFile: jobTable.resultFile,
  error: jobTable.error,
  warnings: jobTable.warnings,
  cancelRequestedAt: jobTable.cancelRequestedAt,
};

const now = sql`now()`;

/** A run's writes reach the row only while the run holds the job. */
const heldBy = (run: JobRun): SQL | undefined =>
  and(eq(jobTable.id, run.jobId), eq(jobTable.runId, run.runId), eq(jobTable.state, 'running'));

export function createJobRecords(db: NodePgDatabase): JobRecords {
  /** Ends or changes the run's job; false when the run has lost its claim. */
  const settle = async (run: JobRun, change: PgUpdateSetSource<typeof jobTable>): Promise<boolean> => {
    const { rowCount } = await db
      .update(jobTable)
      .set({ runId: null, touchedAt: now, ...change })
      .where(heldBy(run));
    return rowCount === 1;
  };

  return {
    async create(job) {
      const [row] = await db.insert(jobTable).values(job).returning(columns);
      if (!row) throw new Error('PostgreSQL returned no row for an insert');
      return row;
    },

    async find(id) {
      const [row] = await db.select(columns).from(jobTable).where(eq(jobTable.id, id));
      return row;
    },

    list: filter =>
      db
        .select(columns)
        .from(jobTable)
        .where(matching(filter))
        .orderBy(desc(jobTable.createdAt), desc(jobTable.id))
        .limit(filter.limit),

    async begin(run, attempt) {
      const [row] = await db
        .update(jobTable)
        .set({
          state: sql`case when ${jobTable.cancelRequestedAt} is null then 'running' else 'cancelled' end`,
          finishedAt: sql`case when ${jobTable.cancelRequestedAt} is null then null else now() end`,
          startedAt: sql`coalesce(${jobTable.startedAt}, now())`,
          runId: run.runId,
          attemptsMade: attempt,
          progress: null,
          touchedAt: now,
        })
        .where(and(eq(jobTable.id, run.jobId), inArray(jobTable.state, open)))
        .returning(columns);
      return row?.state === 'running' ? row : undefined;
    },

    async saveProgress(run, progress) {
      const [row] = await db
        .update(jobTable)
        .set({ ...(progress && { progress }), touchedAt: now })
        .where(heldBy(run))
        .returning({ cancelRequestedAt: jobTable.cancelRequestedAt });
      return { claimed: row !== undefined, cancelRequested: row?.cancelRequestedAt != null };
    },

    succeed: (run, outcome) =>
      settle(run, {
        state: 'succeeded',
        finishedAt: now,
        progress: outcome.progress,
        result: outcome.result,
        resultFile: outcome.file,
        warnings: outcome.warnings,
        error: null,
      }),

    fail: (run, { error, warnings, scheduledAgain }) =>
      settle(run, {
        state: scheduledAgain ? 'scheduled' : 'failed',
        finishedAt: scheduledAgain ? null : now,
        error,
        warnings,
      }),

    cancelled: run => settle(run, { state: 'cancelled', finishedAt: now }),

    handBack: run =>
      settle(run, {
        state: 'queued',
        attemptsMade: sql`greatest(${jobTable.attemptsMade} - 1, 0)`,
        progress: null,
      }),

    async requestCancel(id) {
      const waits = inArray(jobTable.state, [...waiting, 'held']);
      const [row] = await db
        .update(jobTable)
        .set({
          state: sql`case when ${waits} then 'cancelled' else ${jobTable.state} end`,
          finishedAt: sql`case when ${waits} then now() else ${jobTable.finishedAt} end`,
          cancelRequestedAt: sql`coalesce(${jobTable.cancelRequestedAt}, now())`,
        })
        .where(and(eq(jobTable.id, id), inArray(jobTable.state, [...open, 'held'])))
        .returning(columns);
      return row ?? this.find(id);
    },

    async requeue(id) {
      const [row] = await db
        .update(jobTable)
        .set({
          state: 'queued',
          attemptsMade: 0,
          runId: null,
          progress: null,
          result: null,
          resultFile: null,
          error: null,
          warnings: [],
          cancelRequestedAt: null,
          startedAt: null,
          finishedAt: null,
          touchedAt: now,
        })
        .where(and(eq(jobTable.id, id), inArray(jobTable.state, ['failed', 'cancelled'])))
        .returning(columns);
      return row;
    },

    quiet: (olderThanMs, limit) =>
      db
        .select(columns)
        .from(jobTable)
        .where(
          and(
            inArray(jobTable.state, open),
            lt(jobTable.touchedAt, sql`now() - ${olderThanMs} * interval '1 millisecond'`),
          ),
        )
        .orderBy(asc(jobTable.touchedAt))
        .limit(limit),

    async markQuietChecked(ids) {
      if (ids.length === 0) return;
      await db
        .update(jobTable)
        .set({ touchedAt: now })
        .where(and(inArray(jobTable.id, [...ids]), inArray(jobTable.state, open)));
    },

    async giveUp(id, error) {
      await db
        .update(jobTable)
        .set({ state: 'failed', finishedAt: now, runId: null, error, touchedAt: now })
        .where(and(eq(jobTable.id, id), inArray(jobTable.state, open)));
    },
  };
}

function matching(filter: JobFilter): SQL | undefined {
  const { clientId, kind, state, since, after } = filter;
  return and(
    clientId === null ? undefined : eq(jobTable.clientId, clientId),
    kind === undefined ? undefined : eq(jobTable.kind, kind),
    state === undefined ? undefined : eq(jobTable.state, state),
    since === undefined ? undefined : gte(jobTable.createdAt, since),
    after === undefined
      ? undefined
      : or(
          lt(jobTable.createdAt, after.createdAt),
          and(eq(jobTable.createdAt, after.createdAt), lt(jobTable.id, after.id)),
        ),
  );
}
