/** Alerts as shown to people: lists and snoozing. */
import { and, desc, eq, isNotNull, isNull, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { recordAuditEntry } from '../postgres/audit.ts';
import type { Actor } from '../runtime/actor.ts';
import { isoDates } from '../values/iso-dates.ts';
import type { Alert } from './alert.ts';
import { alertTable as table } from './schema.ts';

/** Critical alerts first, then the newest. */
export async function listOpenAlerts(db: NodePgDatabase, limit = 100): Promise<Alert[]> {
  const rows = await db
    .select()
    .from(table)
    .where(and(isNotNull(table.openedAt), isNull(table.resolvedAt)))
    .orderBy(sql`${table.severity} = 'critical' desc`, desc(table.openedAt))
    .limit(limit);
  return rows.map(toAlert);
}

export interface AlertFilter {
  /** Omits resolved alerts. */
  onlyOpen: boolean;
  limit: number;
  /** The last alert of the previous page. */
  after?: { openedAt: Date; id: string } | undefined;
}

/** The newest first. */
export async function listAlerts(db: NodePgDatabase, { onlyOpen, limit, after }: AlertFilter): Promise<Alert[]> {
  const rows = await db
    .select()
    .from(table)
    .where(
      and(
        isNotNull(table.openedAt),
        onlyOpen ? isNull(table.resolvedAt) : undefined,
        after &&
          sql`(${table.openedAt}, ${table.id}) < (${after.openedAt.toISOString()}::timestamptz, ${after.id}::uuid)`,
      ),
    )
    .orderBy(desc(table.openedAt), desc(table.id))
    .limit(limit);
  return rows.map(toAlert);
}

/**
 * Suppresses messages about an open alert, except the one that it is resolved.
 * @param until null: ends the snooze
 * @returns undefined when no such alert is open
 */
export function snoozeAlert(db: NodePgDatabase, id: string, until: Date | null, by: Actor): Promise<Alert | undefined> {
  return db.transaction(async tx => {
    const isOpen = and(eq(table.id, id), isNotNull(table.openedAt), isNull(table.resolvedAt));
    const [before] = await tx.select().from(table).where(isOpen).for('update');
    if (!before) return undefined;
    const [after] = await tx
      .update(table)
      .set({ snoozedUntil: until, snoozedBy: until && by.name })
      .where(eq(table.id, id))
      .returning();
    await recordAuditEntry(tx, by, {
      action: 'alerts.snooze',
      target: `/alerts/${id}`,
      before: { snoozedUntil: before.snoozedUntil },
      after: { snoozedUntil: until },
    });
    return after && toAlert(after);
  });
}

/** @param row of an alert that has opened */
export const toAlert = ({ firstSeenAt, clearEvaluations: _, ...row }: typeof table.$inferSelect): Alert =>
  isoDates({ ...row, openedAt: row.openedAt ?? firstSeenAt });
