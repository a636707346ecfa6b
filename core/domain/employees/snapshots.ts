/** Snapshots of the employee records, taken before all of them are deleted. */
import { and, count, desc, eq, isNotNull, lt, sql } from 'drizzle-orm';
import { v7 as uuidv7 } from 'uuid';
import type { Database } from '../../postgres/client.ts';
import { employeeSnapshotRecordTable as recordTable, employeeSnapshotTable as table } from './schema.ts';

export interface EmployeeSnapshot {
  id: string;
  /** The job that deleted the records. */
  jobId: string;
  createdAt: Date;
  /** It is deleted then. */
  expiresAt: Date;
  employees: number;
}

/** A record as the system that keeps it has it. */
export interface SnapshotRecord {
  recordName: string;
  modifiedAt: string;
  document: Record<string, unknown>;
}

export type EmployeeSnapshots = ReturnType<typeof createEmployeeSnapshots>;

const rowsAtOnce = 500;

export function createEmployeeSnapshots(database: Database) {
  const shown = {
    id: table.id,
    jobId: table.jobId,
    createdAt: table.createdAt,
    expiresAt: table.expiresAt,
    employees: count(recordTable.recordName),
  };
  const complete = () =>
    database
      .select(shown)
      .from(table)
      .leftJoin(recordTable, eq(recordTable.snapshotId, table.id))
      .groupBy(table.id)
      .orderBy(desc(table.id))
      .$dynamic();

  return {
    /** The job's own, made at the first call. */
    async open(jobId: string, keepDays: number): Promise<string> {
      const expiresAt = sql`now() + ${keepDays} * interval '1 day'`;
      const [row] = await database
        .insert(table)
        .values({ id: uuidv7(), jobId, expiresAt })
        .onConflictDoUpdate({ target: table.jobId, set: { jobId } })
        .returning({ id: table.id });
      if (!row) throw new Error('a snapshot was neither made nor found');
      return row.id;
    },

    /** Record name → when it had been changed last as it was put into the snapshot. */
    async contents(id: string): Promise<Map<string, string>> {
      const rows = await database
        .select({ recordName: recordTable.recordName, modifiedAt: recordTable.modifiedAt })
        .from(recordTable)
        .where(eq(recordTable.snapshotId, id));
      return new Map(rows.map(({ recordName, modifiedAt }) => [recordName, modifiedAt]));
    },

    /** Records that are there already are replaced. */
    async put(id: string, records: readonly SnapshotRecord[]): Promise<void> {
      for (let from = 0; from < records.length; from += rowsAtOnce) {
        const rows = records.slice(from, from + rowsAtOnce).map(record => ({ ...record, snapshotId: id }));
        await database
          .insert(recordTable)
          .values(rows)
          .onConflictDoUpdate({
            target: [recordTable.snapshotId, recordTable.recordName],
            set: { modifiedAt: sql`excluded.modified_at`, document: sql`excluded.document` },
          });
      }
    },

    complete: async (id: string): Promise<void> => {
      await database
        .update(table)
        .set({ completedAt: sql`coalesce(${table.completedAt}, now())` })
        .where(eq(table.id, id));
    },

    /** The whole ones, the latest first. */
    list: (limit: number): Promise<EmployeeSnapshot[]> =>
      complete().where(isNotNull(table.completedAt)).limit(limit),

    find: async (id: string): Promise<EmployeeSnapshot | undefined> =>
      (await complete().where(and(eq(table.id, id), isNotNull(table.completedAt))))[0],

    /** The one that the job took, if it is whole. */
    ofJob: async (jobId: string): Promise<EmployeeSnapshot | undefined> =>
      (await complete().where(and(eq(table.jobId, jobId), isNotNull(table.completedAt))))[0],

    records: (id: string): Promise<SnapshotRecord[]> =>
      database
        .select({
          recordName: recordTable.recordName,
          modifiedAt: recordTable.modifiedAt,
          document: recordTable.document,
        })
        .from(recordTable)
        .where(eq(recordTable.snapshotId, id)),

    /** @returns how many */
    async deleteExpired(): Promise<number> {
      const gone = await database
        .delete(table)
        .where(lt(table.expiresAt, sql`now()`))
        .returning({ id: table.id });
      return gone.length;
    },
  };
}
