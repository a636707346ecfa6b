/** The outbox of callbacks: which are due, and what came of each try. */
import { and, eq, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { CallbackTry } from '../jobs/event.ts';
import type { CallbackState } from '../jobs/record.ts';
import { jobEventTable as event } from '../jobs/schema/events.ts';
import type { Db } from '../postgres/session.ts';
import { jobCallbackTable as callback } from './schema.ts';

/** The channel on which a trigger announces that a callback has become due. */
export const callbackChannel = 'job_callback';

export interface DueCallback {
  jobId: string;
  clientId: string;
  url: string;
  /** The event of the end that is to be told. */
  eventId: number;
  /** Counts this try. */
  tries: number;
}

export interface JobCallbacks {
  /**
   * Takes due callbacks, no two processes the same: each is this process's for the time of the lease. A process that
   * dies meanwhile has used up a try.
   * @param perClient at most as many of one client, so that its slow receiver does not hold up the others'
   * @param underWay how many of each client this process has taken already
   */
  claim(
    limit: number,
    bounds: { perClient: number; underWay: Readonly<Record<string, number>>; leaseSeconds: number },
  ): Promise<DueCallback[]>;
  /** Writes what came of a try, also into the job's timeline; nothing when the job was run again meanwhile. */
  settle(due: DueCallback, tried: CallbackTry, state: CallbackState): Promise<void>;
}

/** Not due before the job ends. */
export async function insertCallback(db: Db, jobId: string, url: string): Promise<void> {
  await db.insert(callback).values({ jobId, url });
}

export function createJobCallbacks(db: NodePgDatabase): JobCallbacks {
  return {
    async claim(limit, { perClient, underWay, leaseSeconds }) {
      const { rows } = await db.execute<{
        job_id: string;
        client_id: string;
        url: string;
        event_id: string;
        tries: number;
      }>(sql`
        update job_callback
        set tries = tries + 1, next_try_at = now() + ${leaseSeconds} * interval '1 second'
        from job
        where job.id = job_callback.job_id and job_callback.job_id in (
          select job_id from job_callback
          where next_try_at <= now() and event_id is not null and job_id in (
            select ranked.id from (
              select job.id, job.client_id, due.next_try_at,
                row_number() over (partition by job.client_id order by due.next_try_at) as place
              from job_callback as due join job on job.id = due.job_id
              where due.next_try_at <= now()
            ) as ranked
            where ranked.place + coalesce((${JSON.stringify(underWay)}::jsonb ->> ranked.client_id)::int, 0) <= ${perClient}
            order by ranked.next_try_at
            limit ${limit})
          for update skip locked)
        returning job_callback.job_id, job.client_id, job_callback.url, job_callback.event_id, job_callback.tries`);
      return rows.map(row => ({
        jobId: row.job_id,
        clientId: row.client_id,
        url: row.url,
        eventId: Number(row.event_id),
        tries: row.tries,
      }));
    },

    settle: (due, tried, state) =>
      db.transaction(async tx => {
        const { rowCount } = await tx
          .update(callback)
          .set({
            state,
            lastStatus: tried.status,
            lastError: tried.error,
            nextTryAt: tried.nextTryAt === null ? null : new Date(tried.nextTryAt),
            deliveredAt: state === 'delivered' ? sql`now()` : null,
          })
          .where(
            and(
              eq(callback.jobId, due.jobId),
              eq(callback.eventId, due.eventId),
              eq(callback.tries, due.tries),
            ),
          );
        if (rowCount !== 1) return;
        await tx.insert(event).values({ jobId: due.jobId, type: 'callback-tried', data: tried });
      }),
  };
}
