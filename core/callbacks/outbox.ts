/** The outbox of callbacks: claims due callbacks, records the outcome of each try. */
import { and, desc, eq, isNotNull, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { CallbackTry } from '../jobs/event.ts';
import { jobEventTable as event, jobTable as job } from '../jobs/schema.ts';
import { recordAuditEntry } from '../postgres/audit.ts';
import type { Db } from '../postgres/client.ts';
import { claimTry, tryOutcome } from '../postgres/outbox.ts';
import type { Actor } from '../runtime/actor.ts';
import { jobCallbackTable as callback } from './schema.ts';

export interface ClaimBounds {
  /** Limit per client, so that a slow receiver does not delay the callbacks of other clients. */
  perClient: number;
  /** Claimed callbacks of this process by client. */
  inProgress: Readonly<Record<string, number>>;
  leaseSeconds: number;
}

export type CallbackOutbox = ReturnType<typeof createCallbackOutbox>;
/** `eventId` is the job's end; `tries` includes this try. */
export type DueCallback = Awaited<ReturnType<CallbackOutbox['claim']>>[number];
type Try = Pick<typeof callback.$inferSelect, 'jobId' | 'tries'> & { eventId: number };

/** The callback becomes due when the job ends. */
export async function insertCallback(db: Db, jobId: string, url: string): Promise<void> {
  await db.insert(callback).values({ jobId, url });
}

export function createCallbackOutbox(db: NodePgDatabase) {
  return {
    /** Claims due callbacks for this process. A process that dies has used a try of each. */
    claim(limit: number, { perClient, inProgress, leaseSeconds }: ClaimBounds) {
      const due = sql`
        select job_id from job_callback
        where next_try_at <= now() and event_id is not null and job_id in (
          select ranked.id from (
            select job.id, job.client_id, due.next_try_at,
              row_number() over (partition by job.client_id order by due.next_try_at) as place
            from job_callback as due join job on job.id = due.job_id
            where due.next_try_at <= now()
          ) as ranked
          where ranked.place + coalesce((${JSON.stringify(inProgress)}::jsonb ->> ranked.client_id)::int, 0) <= ${perClient}
          order by ranked.next_try_at
          limit ${limit})
        for update skip locked`;
      return db
        .update(callback)
        .set(claimTry(callback, leaseSeconds))
        .from(job)
        .where(and(eq(job.id, callback.jobId), sql`${callback.jobId} in (${due})`))
        .returning({
          jobId: callback.jobId,
          clientId: job.clientId,
          url: callback.url,
          eventId: sql<number>`${callback.eventId}`.mapWith(Number),
          tries: callback.tries,
        });
    },

    /** Records the outcome of a try, also in the job's timeline; nothing if the job was retried since. */
    settle: ({ jobId, eventId, tries }: Try, tried: CallbackTry): Promise<void> =>
      db.transaction(async tx => {
        const nextTryAt = tried.nextTryAt === null ? undefined : new Date(tried.nextTryAt);
        const { rowCount } = await tx
          .update(callback)
          .set({
            ...tryOutcome(tried.error, nextTryAt),
            nextTryAt: nextTryAt ?? null,
            lastStatus: tried.status,
          })
          .where(and(eq(callback.jobId, jobId), eq(callback.eventId, eventId), eq(callback.tries, tries)));
        if (rowCount !== 1) return;
        await tx.insert(event).values({ jobId, type: 'callback-tried', data: tried });
      }),

    /** The latest tries, also those for earlier ends of a retried job; newest first. */
    async latestTries(jobId: string, limit: number) {
      const rows = await db
        .select({ at: event.at, data: event.data })
        .from(event)
        .where(and(eq(event.jobId, jobId), eq(event.type, 'callback-tried')))
        .orderBy(desc(event.id))
        .limit(limit);
      return rows.map(({ at, data }) => ({ at, ...CallbackTry.parse(data) }));
    },

    /**
     * Makes the callback of an ended job due now, whatever its state, with all its tries. The message keeps its id, by
     * which the receiver recognizes repeats.
     * @returns false when there is no such callback
     */
    sendAgain: (jobId: string, by: Actor): Promise<boolean> =>
      db.transaction(async tx => {
        const [before] = await tx
          .select({ state: callback.state, tries: callback.tries })
          .from(callback)
          .where(and(eq(callback.jobId, jobId), isNotNull(callback.eventId)))
          .for('update');
        if (!before) return false;
        const after = { state: 'pending', tries: 0 } as const;
        await tx
          .update(callback)
          .set({ ...after, nextTryAt: sql`now()` })
          .where(eq(callback.jobId, jobId));
        await tx.insert(event).values({ jobId, type: 'callback-requested', data: { by: by.name } });
        await recordAuditEntry(tx, by, { action: 'jobs.sendCallback', target: `/jobs/${jobId}`, before, after });
        return true;
      }),
  };
}
