/** The list of contacts that want no marketing, by keyed hash. Each change is audited. */
import { eq } from 'drizzle-orm';
import { recordAuditEntry } from '../../postgres/audit.ts';
import type { Database } from '../../postgres/client.ts';
import type { Actor } from '../../runtime/actor.ts';
import { type SuppressionSource, suppressionTable as table } from './schema.ts';

export type Suppression = typeof table.$inferSelect;

export function createSuppressions(database: Database) {
  const find = async (contact: string): Promise<Suppression | undefined> =>
    (await database.select().from(table).where(eq(table.contact, contact)))[0];

  return {
    /** @param contact its keyed hash */
    find,

    /** Keeps an earlier suppression. */
    async add(contact: string, source: SuppressionSource, by: Actor): Promise<Suppression> {
      await database.transaction(async transaction => {
        const added = await transaction.insert(table).values({ contact, source }).onConflictDoNothing().returning();
        const entry = { action: 'telephony.addSuppression', target: `/suppressions/${contact}`, before: null };
        if (added.length > 0) await recordAuditEntry(transaction, by, { ...entry, after: { source } });
      });
      const suppression = await find(contact);
      if (!suppression) throw new Error('the suppression was removed while it was added');
      return suppression;
    },

    /** @returns false when there was none */
    remove: (contact: string, by: Actor): Promise<boolean> =>
      database.transaction(async transaction => {
        const [removed] = await transaction.delete(table).where(eq(table.contact, contact)).returning();
        const entry = { action: 'telephony.removeSuppression', target: `/suppressions/${contact}`, after: null };
        if (removed) await recordAuditEntry(transaction, by, { ...entry, before: { source: removed.source } });
        return removed !== undefined;
      }),
  };
}
