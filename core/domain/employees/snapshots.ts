/** Snapshots of the employee records, taken before all of them are deleted. */
import { and, count, desc, eq, getTableColumns, isNotNull, lt, type SQL, sql } from 'drizzle-orm';
import { v7 as uuidv7 } from 'uuid';
import type { Database } from '../../postgres/client.ts';
import { chunks } from '../../values/chunks.ts';
import { employeeSnapshotRecordTable as recordTable, employeeSnapshotTable as table } from './schema.ts';

export type SnapshotRecord = Omit<typeof recordTable.$inferSelect, 'snapshotId'>;

const { snapshotId, ...recordColumns } = getTableColumns(recordTable);
const rowsPerInsert = 500;

export const createEmployeeSnapshots = (database: Database) => ({
  ...createReads(database),
  ...createWrites(database),
});

function createReads(database: Database) {
  const complete = (condition?: SQL) =>
    database
      .select({
        id: table.id,
        jobId: table.jobId,
        createdAt: table.createdAt,
        expiresAt: table.expiresAt,
        employees: count(recordTable.recordName),
      })
      .from(table)
      .leftJoin(recordTable, eq(recordTable.snapshotId, table.id))
      .where(and(condition, isNotNull(table.completedAt)))
      .groupBy(table.id)
      .orderBy(desc(table.id));

  return {
    /** Complete snapshots, latest first. */
    list: (limit: number) => complete().limit(limit),

    /** Undefined if the snapshot is not complete. */
    find: async (id: string) => (await complete(eq(table.id, id)))[0],

    /** The complete snapshot that the job took. */
    ofJob: async (jobId: string) => (await complete(eq(table.jobId, jobId)))[0],

    /** Record name → the record's modification time in the snapshot. */
    async contents(id: string): Promise<Map<string, string>> {
      const rows = await database
        .select({ recordName: recordTable.recordName, modifiedAt: recordTable.modifiedAt })
        .from(recordTable)
        .where(eq(recordTable.snapshotId, id));
      return new Map(rows.map(({ recordName, modifiedAt }) => [recordName, modifiedAt]));
    },

    records: (id: string): Promise<SnapshotRecord[]> =>
      database.select(recordColumns).from(recordTable).where(eq(recordTable.snapshotId, id)),
  };
}

function createWrites(database: Database) {
  return {
    /** Creates the job's snapshot, or returns the id of the existing one. */
    async open(jobId: string, keepDays: number): Promise<string> {
      const expiresAt = sql`now() + ${keepDays} * interval '1 day'`;
      const [row] = await database
        .insert(table)
        .values({ id: uuidv7(), jobId, expiresAt })
        .onConflictDoUpdate({ target: table.jobId, set: { jobId } })
        .returning({ id: table.id });
      if (!row) throw new Error(`the snapshot of job ${jobId} was neither created nor found`);
      return row.id;
    },

    /** Replaces records that the snapshot already has. */
    async put(id: string, records: readonly SnapshotRecord[]): Promise<void> {
      for (const some of chunks(records, rowsPerInsert)) {
        await database
          .insert(recordTable)
          .values(some.map(record => ({ ...record, snapshotId: id })))
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

    /** @returns the number of deleted snapshots */
    async deleteExpired(): Promise<number> {
      const expired = await database.delete(table).where(lt(table.expiresAt, sql`now()`)).returning({ id: table.id });
      return expired.length;
    },
  };
}
