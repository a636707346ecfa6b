/** Signs of life of the workers. */
import { eq, lt, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { workerSignTable } from '../schema/heartbeats.ts';

export interface WorkerSign {
  kind: string;
  /** Processes whose last sign is recent. */
  alive: number;
  running: number;
  lastSeenAt: Date;
}

export interface WorkerSigns {
  write(workerId: string, running: ReadonlyMap<string, number>): Promise<void>;
  /** The worker ends: its signs are taken back. */
  remove(workerId: string): Promise<void>;
  read(): Promise<WorkerSign[]>;
}

/** A worker not heard of for this long does not count as alive, in seconds. */
export const aliveSeconds = 15;
const forgetSeconds = 3_600;

export function createWorkerSigns(db: NodePgDatabase): WorkerSigns {
  const table = workerSignTable;
  const recent = sql`${table.seenAt} > now() - ${aliveSeconds} * interval '1 second'`;
  return {
    async write(workerId, running) {
      const rows = [...running].map(([kind, count]) => ({ workerId, kind, running: count }));
      if (rows.length === 0) return;
      await db
        .insert(table)
        .values(rows)
        .onConflictDoUpdate({
          target: [table.workerId, table.kind],
          set: { running: sql`excluded.running`, seenAt: sql`now()` },
        });
      await db.delete(table).where(lt(table.seenAt, sql`now() - ${forgetSeconds} * interval '1 second'`));
    },
    async remove(workerId) {
      await db.delete(table).where(eq(table.workerId, workerId));
    },
    read: () =>
      db
        .select({
          kind: table.kind,
          alive: sql<number>`(count(*) filter (where ${recent}))::int`,
          running: sql<number>`coalesce(sum(${table.running}) filter (where ${recent}), 0)::int`,
          lastSeenAt: sql<Date>`max(${table.seenAt})`.mapWith(table.seenAt),
        })
        .from(table)
        .groupBy(table.kind),
  };
}
