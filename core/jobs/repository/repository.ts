/** The job rows, which are authoritative. A trigger announces each change of a row on the channel `job`. */
import { and, asc, desc, eq, gte, inArray, lt, or, type SQL, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Db } from '../../postgres/client.ts';
import type { JobFilter, JobRecords } from '../record.ts';
import { jobTable } from '../schema.ts';
import { cancelJob, cancelOverdue } from './cancel.ts';
import { nextQueued, renumber } from './fair-order.ts';
import { findPlan, releaseJob, requeueJob, unlessExclusive } from './requeue.ts';
import { createResultCache, setCacheVersion } from './result-cache.ts';
import { countEnd, endColumns, findJob, insertJob, jobColumns, now, openStates } from './rows.ts';
import { createRunRecords } from './runs.ts';

/** The channel on which a trigger announces the id of each changed job. */
export const jobChannel = 'job';

export interface JobRecordsOptions {
  /** How long a result is available after its job succeeded. */
  resultRetentionHours: number;
  /** Adds a job's callback to the outbox, in the transaction that inserts the job. */
  insertCallback(db: Db, jobId: string, url: string): Promise<void>;
}

export const createJobRecords = (
  db: NodePgDatabase,
  { resultRetentionHours, insertCallback }: JobRecordsOptions,
): JobRecords => ({
  ...createRunRecords(db, resultRetentionHours),
  ...createMaintenance(db),
  reuse: createResultCache(db, resultRetentionHours),
  setCacheVersion: (kind, version) => setCacheVersion(db, kind, version),

  async create({ callbackUrl: url, ...job }) {
    if (url === undefined) return (await insertJob(db, job)).job;
    return await db.transaction(async tx => {
      const { job: row, isNew } = await insertJob(tx, job);
      if (!isNew) return row;
      await insertCallback(tx, row.id, url);
      return { ...row, callback: { url, state: 'pending', tries: 0, lastStatus: null, nextTryAt: null } };
    });
  },

  find: id => findJob(db, id),
  plan: id => findPlan(db, id),
  nextQueued: (kind, clientId, limit) => nextQueued(db, kind, clientId, limit),

  list: filter =>
    db
      .select(jobColumns)
      .from(jobTable)
      .where(matching(filter))
      .orderBy(desc(jobTable.createdAt), desc(jobTable.id))
      .limit(filter.limit),

  async countOpen(kind, clientId, limit) {
    const counted = db
      .select({ id: jobTable.id })
      .from(jobTable)
      .where(
        and(eq(jobTable.kind, kind), eq(jobTable.clientId, clientId), inArray(jobTable.state, openStates)),
      )
      .limit(limit)
      .as('counted');
    return db.$count(counted);
  },

  requestCancel: (id, by) => (by ? db.transaction(tx => cancelJob(tx, id, by)) : cancelJob(db, id)),
  requeue: (id, by) => unlessExclusive(() => db.transaction(tx => requeueJob(tx, id, by))),
  release: (id, by) => unlessExclusive(() => db.transaction(tx => releaseJob(tx, id, by))),
});

/** What the reconciler reads and changes. */
const createMaintenance = (
  db: NodePgDatabase,
): Pick<JobRecords, 'findStale' | 'markChecked' | 'markFailed' | 'cancelOverdue' | 'renumber'> => ({
  findStale: (olderThanMs, limit) =>
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

  async markChecked(ids) {
    if (ids.length === 0) return;
    await db
      .update(jobTable)
      .set({ touchedAt: now })
      .where(and(inArray(jobTable.id, [...ids]), inArray(jobTable.state, openStates)));
  },

  async markFailed(id, error) {
    const [job] = await db
      .update(jobTable)
      .set({ state: 'failed', finishedAt: now, runId: null, error, touchedAt: now })
      .where(and(eq(jobTable.id, id), inArray(jobTable.state, openStates)))
      .returning(endColumns);
    countEnd(job);
  },

  cancelOverdue: () => cancelOverdue(db),
  renumber: () => renumber(db),
});

function matching({ clientId, kind, state, since, after }: JobFilter): SQL | undefined {
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
