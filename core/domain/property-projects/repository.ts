/** Stored copies of the property-project system's reference data. */
import { eq, lt, sql } from 'drizzle-orm';
import type { Database } from '../../postgres/client.ts';
import { projectReferenceTable as table } from './schema.ts';

type StoredReference = Pick<typeof table.$inferSelect, 'pages' | 'checkedAt'>;

export type ReferenceRepository = ReturnType<typeof createReferenceRepository>;

export function createReferenceRepository(database: Database) {
  return {
    find: async (source: string): Promise<StoredReference | undefined> =>
      (await database.select().from(table).where(eq(table.source, source)))[0],

    /** Does not replace a copy that was checked later; deletes all copies older than `keptHours`. */
    async put(source: string, { pages, checkedAt }: StoredReference, keptHours: number): Promise<void> {
      await database
        .insert(table)
        .values({ source, pages, checkedAt })
        .onConflictDoUpdate({
          target: table.source,
          set: { pages, checkedAt },
          setWhere: lt(table.checkedAt, checkedAt),
        });
      await database.delete(table).where(lt(table.checkedAt, sql`now() - ${keptHours} * interval '1 hour'`));
    },

    /** The system confirmed the stored copy. */
    async confirm(source: string, checkedAt: Date): Promise<void> {
      await database.update(table).set({ checkedAt }).where(eq(table.source, source));
    },

    async delete(source: string): Promise<void> {
      await database.delete(table).where(eq(table.source, source));
    },
  };
}
