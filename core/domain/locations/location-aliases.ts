/** People's decisions that a location of the listing portal is a certain one of the CRM; each leaves an audit entry. */

import { asc, eq, gt } from 'drizzle-orm';
import { recordAct } from '../../postgres/audit.ts';
import type { Database } from '../../postgres/client.ts';
import type { Actor } from '../../runtime/actor.ts';
import { locationAliasTable as table } from './schema.ts';

export interface LocationAlias {
  portalLocationId: number;
  crmLocationId: number;
  /** The client that sent it. */
  decidedBy: string;
  decidedAt: Date;
}

const target = (portalLocationId: number): string => `/apps/crm/v1/locations/aliases/${portalLocationId}`;
const decision = (alias: LocationAlias | undefined) => alias && { crmLocationId: alias.crmLocationId };

export function createLocationAliases(database: Database) {
  return {
    /** The portal's id → the CRM's. */
    async decisions(): Promise<Map<number, number>> {
      const rows = await database.select().from(table);
      return new Map(rows.map(({ portalLocationId, crmLocationId }) => [portalLocationId, crmLocationId]));
    },

    /** By the portal's id. */
    list: ({ after, limit }: { after: number; limit: number }): Promise<LocationAlias[]> =>
      database
        .select()
        .from(table)
        .where(gt(table.portalLocationId, after))
        .orderBy(asc(table.portalLocationId))
        .limit(limit),

    /** Takes the place of an earlier decision. */
    decide: (
      alias: Pick<LocationAlias, 'portalLocationId' | 'crmLocationId'>,
      by: Actor,
    ): Promise<{ alias: LocationAlias; isNew: boolean }> =>
      database.transaction(async transaction => {
        const isIt = eq(table.portalLocationId, alias.portalLocationId);
        const [before] = await transaction.select().from(table).where(isIt).for('update');
        const row = { ...alias, decidedBy: by.name, decidedAt: new Date() };
        await transaction
          .insert(table)
          .values(row)
          .onConflictDoUpdate({ target: table.portalLocationId, set: row });
        await recordAct(transaction, by, {
          action: 'crm.decideLocationAlias',
          target: target(alias.portalLocationId),
          before: decision(before) ?? null,
          after: { crmLocationId: alias.crmLocationId },
        });
        return { alias: row, isNew: before === undefined };
      }),

    /** @returns false when there is none */
    forget: (portalLocationId: number, by: Actor): Promise<boolean> =>
      database.transaction(async transaction => {
        const [before] = await transaction
          .delete(table)
          .where(eq(table.portalLocationId, portalLocationId))
          .returning();
        if (!before) return false;
        await recordAct(transaction, by, {
          action: 'crm.forgetLocationAlias',
          target: target(portalLocationId),
          before: decision(before) ?? null,
          after: null,
        });
        return true;
      }),
  };
}
