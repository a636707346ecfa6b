/** Manual decisions about which CRM location a portal location is; each change writes an audit entry. */
import { asc, eq, gt } from 'drizzle-orm';
import { recordAuditEntry } from '../../postgres/audit.ts';
import type { Database } from '../../postgres/client.ts';
import type { Actor } from '../../runtime/actor.ts';
import { locationAliasTable as table } from './schema.ts';

export type LocationAlias = typeof table.$inferSelect;

const target = (portalLocationId: number): string => `/apps/crm/v1/locations/aliases/${portalLocationId}`;
const decision = (alias: LocationAlias | undefined) => alias && { crmLocationId: alias.crmLocationId };

export function createLocationAliases(database: Database) {
  return {
    /** Portal id → CRM id. */
    async decisions(): Promise<Map<number, number>> {
      const rows = await database.select().from(table);
      return new Map(rows.map(({ portalLocationId, crmLocationId }) => [portalLocationId, crmLocationId]));
    },

    /** Ordered by the portal's id. */
    list: ({ after, limit }: { after: number; limit: number }): Promise<LocationAlias[]> =>
      database
        .select()
        .from(table)
        .where(gt(table.portalLocationId, after))
        .orderBy(asc(table.portalLocationId))
        .limit(limit),

    /** Replaces an earlier decision. */
    decide: (
      alias: Pick<LocationAlias, 'portalLocationId' | 'crmLocationId'>,
      by: Actor,
    ): Promise<{ alias: LocationAlias; isNew: boolean }> =>
      database.transaction(async transaction => {
        const isSame = eq(table.portalLocationId, alias.portalLocationId);
        const [before] = await transaction.select().from(table).where(isSame).for('update');
        const row = { ...alias, decidedBy: by.name, decidedAt: new Date() };
        await transaction.insert(table).values(row).onConflictDoUpdate({ target: table.portalLocationId, set: row });
        await recordAuditEntry(transaction, by, {
          action: 'crm.decideLocationAlias',
          target: target(alias.portalLocationId),
          before: decision(before) ?? null,
          after: { crmLocationId: alias.crmLocationId },
        });
        return { alias: row, isNew: before === undefined };
      }),

    /** @returns false if there was none */
    forget: (portalLocationId: number, by: Actor): Promise<boolean> =>
      database.transaction(async transaction => {
        const [before] = await transaction
          .delete(table)
          .where(eq(table.portalLocationId, portalLocationId))
          .returning();
        if (!before) return false;
        await recordAuditEntry(transaction, by, {
          action: 'crm.forgetLocationAlias',
          target: target(portalLocationId),
          before: decision(before) ?? null,
          after: null,
        });
        return true;
      }),
  };
}
