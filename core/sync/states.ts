/** How far each local copy of an outside system's data has come. */
import { eq } from 'drizzle-orm';
import type { Database } from '../postgres/client.ts';
import type { Db } from '../postgres/session.ts';
import { syncStateTable as table } from './schema.ts';

export interface SyncState {
  /** Rows of the last complete read. */
  read: number;
  /** Changes after this time are not in the copy yet; null: the next read is a complete one. */
  changedSince: Date | null;
  /** For a source that is read on by a cursor. */
  cursor: unknown;
  /** When the last read that was carried out began. */
  asOf: Date;
  /** When the last complete one began; null: there was none yet. */
  fullAt: Date | null;
}

export interface SyncStates {
  /** @param kind what is copied, such as `crm-deals`. @returns undefined before the first read */
  read(kind: string): Promise<SyncState | undefined>;
  /** What is not given stays as it was. @param db the transaction that writes the copy, if there is one */
  write(kind: string, change: Partial<SyncState> & Pick<SyncState, 'asOf'>, db?: Db): Promise<void>;
}

export function createSyncStates(database: Database): SyncStates {
  return {
    async read(kind) {
      const [row] = await database.select().from(table).where(eq(table.kind, kind));
      return row;
    },
    async write(kind, change, db = database) {
      await db
        .insert(table)
        .values({ kind, read: 0, ...change })
        .onConflictDoUpdate({ target: table.kind, set: change });
    },
  };
}
