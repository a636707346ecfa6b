/** Heartbeats of workers and schedulers, and the health probe results of workers. */
import { eq, lt, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { CheckFinding } from '../../runtime/finding.ts';
import { workerCheckTable as check, workerHeartbeatTable as heartbeat } from '../schema.ts';

export type Heartbeats = ReturnType<typeof createHeartbeats>;
export type KindHeartbeat = Awaited<ReturnType<Heartbeats['read']>>[number];

/** A worker counts as alive for this long after its last heartbeat. */
export const aliveSeconds = 15;
const retentionHours = 1;

const isRecent = sql`${heartbeat.seenAt} > now() - ${aliveSeconds} * interval '1 second'`;
const retention = sql`${retentionHours} * interval '1 hour'`;

export function createHeartbeats(db: NodePgDatabase) {
  return {
    /** @param running jobs in progress by kind */
    async write(workerId: string, running: ReadonlyMap<string, number>): Promise<void> {
      const rows = [...running].map(([kind, count]) => ({ workerId, kind, running: count }));
      if (rows.length === 0) return;
      await db
        .insert(heartbeat)
        .values(rows)
        .onConflictDoUpdate({
          target: [heartbeat.workerId, heartbeat.kind],
          set: { running: sql`excluded.running`, seenAt: sql`now()` },
        });
      await db.delete(heartbeat).where(lt(heartbeat.seenAt, sql`now() - ${retention}`));
    },
    /** Call it when the worker ends. */
    async remove(workerId: string): Promise<void> {
      await db.delete(heartbeat).where(eq(heartbeat.workerId, workerId));
    },
    /** `alive`: processes with a recent heartbeat. */
    read: () =>
      db
        .select({
          kind: heartbeat.kind,
          alive: sql<number>`(count(*) filter (where ${isRecent}))::int`,
          running: sql<number>`coalesce(sum(${heartbeat.running}) filter (where ${isRecent}), 0)::int`,
          lastSeenAt: sql<Date>`max(${heartbeat.seenAt})`.mapWith(heartbeat.seenAt),
        })
        .from(heartbeat)
        .groupBy(heartbeat.kind),
  };
}

export function createWorkerHealth(db: NodePgDatabase) {
  return {
    /** Replaces the worker's earlier findings of the same names. @param findings by probed part, such as `browser` */
    async write(workerId: string, findings: Readonly<Record<string, CheckFinding>>): Promise<void> {
      const rows = Object.entries(findings).map(([name, { fix = null, ...finding }]) => ({
        ...finding,
        workerId,
        name,
        fix,
      }));
      if (rows.length === 0) return;
      await db
        .insert(check)
        .values(rows)
        .onConflictDoUpdate({
          target: [check.workerId, check.name],
          set: {
            level: sql`excluded.level`,
            found: sql`excluded.found`,
            fix: sql`excluded.mend`,
            checkedAt: sql`now()`,
          },
        });
      await db.delete(check).where(lt(check.checkedAt, sql`now() - ${retention}`));
    },

    /** Call it when the worker ends. */
    async remove(workerId: string): Promise<void> {
      await db.delete(check).where(eq(check.workerId, workerId));
    },

    /** The findings of workers that are alive. */
    async read() {
      const isAlive = sql`exists (select from ${heartbeat} where ${heartbeat.workerId} = ${check.workerId}
        and ${isRecent})`;
      const rows = await db.select().from(check).where(isAlive).orderBy(check.name, check.workerId);
      return rows.map(({ level, found, fix, ...row }) => {
        const finding: CheckFinding = { level, found, ...(fix !== null && { fix }) };
        return { ...row, finding };
      });
    },
  };
}
