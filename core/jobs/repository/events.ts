/** Job events: changes of the row, written by a trigger, and events that the service adds. */
import { and, asc, desc, eq, gt, inArray, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { changeTypes, type JobEvent, type JobEventType } from '../event.ts';
import { jobEventTable as event } from '../schema.ts';

const columns = { id: event.id, at: event.at, type: event.type, data: event.data };

/** How often the reconciler put a lost job back into its queue during the last `hours`. */
export const countRequeued = (db: NodePgDatabase, hours: number): Promise<number> =>
  db.$count(event, sql`${event.type} = 'put-back' and ${event.at} > now() - ${hours} * interval '1 hour'`);

export type JobEvents = ReturnType<typeof createJobEvents>;

export function createJobEvents(db: NodePgDatabase) {
  return {
    /** Changes of the row with higher ids, oldest first. */
    changesAfter: (jobId: string, id: number, limit: number): Promise<JobEvent[]> =>
      db
        .select(columns)
        .from(event)
        .where(and(eq(event.jobId, jobId), gt(event.id, id), inArray(event.type, [...changeTypes])))
        .orderBy(asc(event.id))
        .limit(limit),

    /** Time of the last change of the row, heartbeats excluded. */
    async lastChangeAt(jobId: string): Promise<Date | undefined> {
      const [last] = await db
        .select({ at: event.at })
        .from(event)
        .where(and(eq(event.jobId, jobId), inArray(event.type, [...changeTypes])))
        .orderBy(desc(event.id))
        .limit(1);
      return last?.at;
    },

    /** All events with higher ids, oldest first; of progress only the first of each stage. */
    async timeline(jobId: string, after: number, limit: number): Promise<JobEvent[]> {
      const stage = sql`${event.data} #>> '{progress,stage}'`;
      const staged = db
        .select({
          ...columns,
          isNew: sql<boolean>`${stage} is distinct from lag(${stage}) over (order by ${event.id})`.as('is_new'),
        })
        .from(event)
        .where(eq(event.jobId, jobId))
        .as('staged');
      return db
        .select({ id: staged.id, at: staged.at, type: staged.type, data: staged.data })
        .from(staged)
        .where(and(gt(staged.id, after), sql`(${staged.type} <> 'progress' or ${staged.isNew})`))
        .orderBy(asc(staged.id))
        .limit(limit);
    },

    /** Adds an event of each job that is not a change of its row. */
    async add(jobIds: readonly string[], type: JobEventType, data: object): Promise<void> {
      if (jobIds.length > 0) await db.insert(event).values(jobIds.map(jobId => ({ jobId, type, data })));
    },
  };
}
