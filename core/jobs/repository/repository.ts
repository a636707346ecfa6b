/** The job rows, which are authoritative. Changes that a caller or a run waits for are announced. */
import { and, asc, eq, inArray, lt, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Db } from '../../postgres/client.ts';
import type { Actor } from '../../runtime/actor.ts';
import type { Problem } from '../../runtime/errors.ts';
import type { HeldPlan, JobFilter, JobRecord, JobState, NewJob, PlannedRow, ReportStop } from '../record.ts';
import { jobTable } from '../schema.ts';
import { cancelJob, cancelOverdue } from './cancel.ts';
import { insertJob, insertTogether, rejectTooManyJobs } from './insert.ts';
import { listJobs } from './list.ts';
import { findPlan, findReleasedPlan, plannedRows, planParts } from './plans.ts';
import { releaseJob, requeueJob, unlessExclusive } from './requeue.ts';
import {
  type AnnounceChange,
  announceChange,
  changeColumns,
  countEnd,
  findJob,
  jobColumns,
  now,
  openStates,
  withMails,
} from './rows.ts';
import { createRunOutcomes, createRunRecords } from './runs.ts';

export interface JobRecordsOptions {
  /** How long a result is available after its job succeeded. */
  resultRetentionHours: number;
  /** Adds a job's callback to the outbox, in the transaction that inserts the job. */
  insertCallback(db: Db, jobId: string, url: string): Promise<void>;
  /** Absent: changes are not announced, and receivers poll. */
  announce?: AnnounceChange;
  /** Absent: held and failed jobs are not reported. */
  reportStop?: ReportStop;
}

export type JobRecords = ReturnType<typeof createJobRecords>;

export function createJobRecords(
  db: NodePgDatabase,
  {
    resultRetentionHours,
    insertCallback,
    announce = () => undefined,
    reportStop = async () => undefined,
  }: JobRecordsOptions,
) {
  const insert = insertTogether(db);
  return {
    ...createRunRecords(db, announce),
    ...createRunOutcomes(db, { resultRetentionHours, announce, reportStop }),
    ...createDecisions(db, announce),
    ...createReconcilerRecords(db, reportStop),

    /**
     * Inserts the job, or returns the existing job with its id, or the open job with its exclusive key: compare the ids.
     * @throws ServiceError too-many-requests above `maxOpen`
     */
    async create({ callbackUrl: url, ...job }: NewJob): Promise<JobRecord> {
      if (url === undefined) return (await insertJob(db, job, insert)).job;
      return await db.transaction(async tx => {
        const { job: row, isNew } = await insertJob(tx, job);
        if (!isNew) return row;
        await insertCallback(tx, row.id, url);
        return { ...row, callback: { url, state: 'pending', tries: 0, lastStatus: null, nextTryAt: null } };
      });
    },

    find: (id: string): Promise<JobRecord | undefined> => findJob(db, id),
    /** The plan of a job that is or was held, with the first of its changes. */
    plan: (id: string): Promise<HeldPlan | undefined> => findPlan(db, id),
    planParts: (id: string, plan: HeldPlan): AsyncGenerator<Buffer> => planParts(db, id, plan),
    plannedRows: (id: string): AsyncGenerator<PlannedRow[]> => plannedRows(db, id),
    releasedPlan: (id: string): Promise<unknown> => findReleasedPlan(db, id),

    list: async (filter: JobFilter): Promise<JobRecord[]> => withMails(db, await listJobs(db, filter)),

    /** @throws ServiceError too-many-requests when the client has as many open jobs of the kind */
    rejectTooMany: (kind: string, clientId: string, limit: number): Promise<void> =>
      rejectTooManyJobs(db, { kind, clientId }, limit),
  };
}

/** Requests of clients and operators. Undefined without such a job, or when its state does not allow the request. */
function createDecisions(db: NodePgDatabase, announce: AnnounceChange) {
  const announced = async (change: Promise<JobRecord | undefined>): Promise<JobRecord | undefined> => {
    const job = await change;
    if (job) announceChange(announce, job);
    return job;
  };
  return {
    /** @param by recorded in the audit trail; absent: the job's own client, which is not recorded */
    async requestCancel(id: string, by?: Actor): Promise<JobRecord | undefined> {
      const job = await announced(by ? db.transaction(tx => cancelJob(tx, id, by)) : cancelJob(db, id));
      if (job?.state === 'running') announce('job_stop', id);
      return job;
    },
    /** @throws ServiceError conflict while another job with its exclusive key is open */
    requeue: (id: string, by?: Actor, from?: readonly JobState[]): Promise<JobRecord | undefined> =>
      announced(unlessExclusive(() => db.transaction(tx => requeueJob(tx, id, by, from)))),
    /** @throws ServiceError conflict while another job with its exclusive key is open */
    release: (id: string, by: Actor): Promise<JobRecord | undefined> =>
      announced(unlessExclusive(() => db.transaction(tx => releaseJob(tx, id, by)))),
  };
}

/** What the reconciler reads and changes. */
const createReconcilerRecords = (db: NodePgDatabase, reportStop: ReportStop) => ({
  /** Open jobs without a heartbeat for this long, the oldest first. */
  findStale: (olderThanMs: number, limit: number): Promise<JobRecord[]> =>
    db
      .select(jobColumns)
      .from(jobTable)
      .where(
        and(
          inArray(jobTable.state, openStates),
          lt(jobTable.touchedAt, sql`now() - ${olderThanMs} * interval '1 millisecond'`),
        ),
      )
      .orderBy(asc(jobTable.touchedAt))
      .limit(limit),

  /** Sets the heartbeat of open jobs. */
  async markChecked(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await db
      .update(jobTable)
      .set({ touchedAt: now })
      .where(and(inArray(jobTable.id, [...ids]), inArray(jobTable.state, openStates)));
  },

  /** Fails a job that the queue gave up without a run. */
  async markFailed(id: string, error: Problem): Promise<void> {
    await db.transaction(async tx => {
      const [job] = await tx
        .update(jobTable)
        .set({ state: 'failed', finishedAt: now, runId: null, error, touchedAt: now })
        .where(and(eq(jobTable.id, id), inArray(jobTable.state, openStates)))
        .returning(changeColumns);
      if (job) await reportStop(tx, { ...job, state: 'failed', reasons: [error.title] });
      countEnd(job);
    });
  },

  cancelOverdue: (): Promise<number> => cancelOverdue(db),
});
