/** How far each mirror of an outside system's list has been read. */
import { eq } from 'drizzle-orm';
import type { Database, Db } from '../postgres/client.ts';
import { syncStateTable as table } from './schema.ts';

/** The columns are described in the schema. */
export type SyncState = Omit<typeof table.$inferSelect, 'kind'>;

export type SyncStates = ReturnType<typeof createSyncStates>;

export function createSyncStates(database: Database) {
  return {
    /** @param kind the mirrored list, such as `crm-deals`. @returns undefined before the first read */
    async read(kind: string): Promise<SyncState | undefined> {
      const [row] = await database.select().from(table).where(eq(table.kind, kind));
      return row;
    },

    /** Omitted fields keep their values. @param db the transaction that writes the mirror, if there is one */
    async write(kind: string, change: Partial<SyncState> & Pick<SyncState, 'asOf'>, db: Db = database): Promise<void> {
      await db
        .insert(table)
        .values({ kind, read: 0, ...change })
        .onConflictDoUpdate({ target: table.kind, set: change });
    },
  };
}
