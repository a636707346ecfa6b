/** How alerts are kept from one look to the next: one process looks at a time, and what it decides is written whole. */
import { inArray, isNull, lt, sql } from 'drizzle-orm';
import { v7 as uuidv7 } from 'uuid';
import type { Database } from '../postgres/client.ts';
import { withLockIfFree } from '../postgres/session-lock.ts';
import { type AlertNews, type Channel, channels, type Severity } from './alert.ts';
import { toAlert } from './open-alerts.ts';
import type { AlertPlan, KnownAlert } from './plan-alerts.ts';
import { alertLookTable, alertMessageTable, alertTable } from './schema.ts';

/** What a rule says of all its alerts. */
interface AlertWords {
  severity: Severity;
  mend: string;
}

export interface AlertLooks {
  /**
   * Does the work in one process at a time, and at most as often as this in all of them together.
   * @returns whether it was done here and now
   */
  take(everyMs: number, work: () => Promise<void>): Promise<boolean>;
  /** Those that are not over, whether they have opened or not. */
  unresolved(): Promise<KnownAlert[]>;
  /** Writes what was decided, and the messages that tell it, in one transaction. */
  carryOut(
    plan: AlertPlan,
    options: { words: ReadonlyMap<string, AlertWords>; receivers: readonly Channel[]; now: Date },
  ): Promise<void>;
}

export function createAlertLooks(database: Database): AlertLooks {
  return {
    async take(everyMs, work) {
      const taken = await withLockIfFree(database, 'alerts', async () => {
        const { rowCount } = await database
          .insert(alertLookTable)
          .values({ at: sql`now()` })
          .onConflictDoUpdate({
            target: alertLookTable.only,
            set: { at: sql`now()` },
            setWhere: lt(alertLookTable.at, sql`now() - ${everyMs} * interval '1 millisecond'`),
          });
        if (rowCount === 1) await work();
        return rowCount === 1;
      });
      return taken?.result === true;
    },

    unresolved: () =>
      database
        .select({
          id: alertTable.id,
          rule: alertTable.rule,
          subject: alertTable.subject,
          what: alertTable.what,
          firstSeenAt: alertTable.firstSeenAt,
          lastSeenAt: alertTable.lastSeenAt,
          openedAt: alertTable.openedAt,
          clearLooks: alertTable.clearLooks,
          notifiedAt: alertTable.notifiedAt,
          snoozedUntil: alertTable.snoozedUntil,
          resolvedAt: alertTable.resolvedAt,
        })
        .from(alertTable)
        .where(isNull(alertTable.resolvedAt)),

    async carryOut(plan, { words, receivers, now }) {
      await database.transaction(async tx => {
        if (plan.drop.length > 0) await tx.delete(alertTable).where(inArray(alertTable.id, plan.drop));
        if (plan.keep.length > 0) {
          // A snooze may have been asked for since they were read: it is left as it is.
          await tx
            .insert(alertTable)
            .values(plan.keep.map(alert => ({ ...alert, ...wordsOf(alert, words) })))
            .onConflictDoUpdate({
              target: alertTable.id,
              set: {
                what: sql`excluded.what`,
                lastSeenAt: sql`excluded.last_seen_at`,
                openedAt: sql`excluded.opened_at`,
                clearLooks: sql`excluded.clear_looks`,
                resolvedAt: sql`excluded.resolved_at`,
              },
            });
        }
        await tell(tx, plan.tell, receivers, now);
      });
    },
  };
}

const wordsOf = ({ rule }: KnownAlert, words: ReadonlyMap<string, AlertWords>): AlertWords =>
  // Only what a rule of this version has found is new; the words of any other are there already.
  words.get(rule) ?? { severity: 'warning', mend: '' };

type Transaction = Parameters<Parameters<Database['transaction']>[0]>[0];

async function tell(
  tx: Transaction,
  { opened, reminded, resolved }: AlertPlan['tell'],
  receivers: readonly Channel[],
  now: Date,
): Promise<void> {
  const ids = [...opened, ...reminded, ...resolved];
  if (ids.length === 0) return;
  const rows = await tx
    .update(alertTable)
    .set({ notifiedAt: now })
    .where(inArray(alertTable.id, ids))
    .returning();
  const alerts = rows.map(toAlert).sort((one, other) => one.openedAt.localeCompare(other.openedAt));
  const those = (wanted: readonly string[]) => alerts.filter(({ id }) => wanted.includes(id));
  const news: AlertNews = {
    at: now.toISOString(),
    opened: those(opened),
    reminded: those(reminded),
    resolved: those(resolved),
  };
  await tx
    .insert(alertMessageTable)
    .values(
      channels
        .filter(channel => receivers.includes(channel))
        .map(channel => ({ id: uuidv7(), channel, news })),
    );
}
