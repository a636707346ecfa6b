/** What workers last found of what only they have; the readiness view tells it. */
import { eq, lt, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Finding } from '../../runtime/finding.ts';
import { workerSignTable as sign } from '../schema/heartbeats.ts';
import { workerCheckTable as table } from '../schema/worker-checks.ts';

export interface WorkerFinding {
  workerId: string;
  /** What was looked at, such as `browser`. */
  name: string;
  finding: Finding;
  checkedAt: Date;
}

/** Of workers that died nothing is kept for longer. */
const forgetHours = 1;
/** As for their signs of life. */
const aliveSeconds = 15;

export function createWorkerChecks(db: NodePgDatabase) {
  return {
    /** In place of what the worker found before of the same things. */
    async write(workerId: string, found: Readonly<Record<string, Finding>>): Promise<void> {
      const rows = Object.entries(found).map(([name, { level, found: text, mend = null }]) => ({
        workerId,
        name,
        level,
        found: text,
        mend,
      }));
      if (rows.length === 0) return;
      await db
        .insert(table)
        .values(rows)
        .onConflictDoUpdate({
          target: [table.workerId, table.name],
          set: {
            level: sql`excluded.level`,
            found: sql`excluded.found`,
            mend: sql`excluded.mend`,
            checkedAt: sql`now()`,
          },
        });
      await db.delete(table).where(lt(table.checkedAt, sql`now() - ${forgetHours} * interval '1 hour'`));
    },

    /** The worker ends. */
    async remove(workerId: string): Promise<void> {
      await db.delete(table).where(eq(table.workerId, workerId));
    },

    /** Of the workers that are alive. */
    async read(): Promise<WorkerFinding[]> {
      const isAlive = sql`exists (select from ${sign} where ${sign.workerId} = ${table.workerId}
        and ${sign.seenAt} > now() - ${aliveSeconds} * interval '1 second')`;
      const rows = await db.select().from(table).where(isAlive).orderBy(table.name, table.workerId);
      return rows.map(({ workerId, name, level, found, mend, checkedAt }) => ({
        workerId,
        name,
        finding: { level, found, ...(mend !== null && { mend }) },
        checkedAt,
      }));
    },
  };
}
