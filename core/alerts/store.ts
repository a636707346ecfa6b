/** Alerts between two evaluations: one process evaluates at a time, and writes its decisions in one transaction. */
import { inArray, isNull, lt, sql } from 'drizzle-orm';
import { v7 as uuidv7 } from 'uuid';
import type { Database, Db } from '../postgres/client.ts';
import { tryWithSessionLock } from '../postgres/locks.ts';
import { type AlertNews, type Channel, channels } from './alert.ts';
import { toAlert } from './open-alerts.ts';
import type { AlertPlan, UnresolvedAlert } from './plan-alerts.ts';
import type { AlertRule } from './rule.ts';
import { alertEvaluationTable, alertMessageTable, alertTable } from './schema.ts';

export type AlertStore = ReturnType<typeof createAlertStore>;

export interface ApplyOptions {
  rules: readonly AlertRule[];
  channels: readonly Channel[];
  now: Date;
}

export function createAlertStore(database: Database) {
  return {
    /**
     * Does the work in one process at a time, and not more often than `everyMs` in all processes together.
     * @returns whether it was done
     */
    async runIfDue(everyMs: number, work: () => Promise<void>): Promise<boolean> {
      const locked = await tryWithSessionLock(database, 'alerts', async () => {
        const { rowCount } = await database
          .insert(alertEvaluationTable)
          .values({ at: sql`now()` })
          .onConflictDoUpdate({
            target: alertEvaluationTable.only,
            set: { at: sql`now()` },
            setWhere: lt(alertEvaluationTable.at, sql`now() - ${everyMs} * interval '1 millisecond'`),
          });
        if (rowCount === 1) await work();
        return rowCount === 1;
      });
      return locked?.result === true;
    },

    /** Pending and open alerts. */
    unresolved: (): Promise<UnresolvedAlert[]> =>
      database.select().from(alertTable).where(isNull(alertTable.resolvedAt)),

    /** Writes the plan and its messages in one transaction. */
    apply: (plan: AlertPlan, options: ApplyOptions): Promise<void> =>
      database.transaction(async tx => {
        if (plan.drop.length > 0) await tx.delete(alertTable).where(inArray(alertTable.id, plan.drop));
        if (plan.save.length > 0) {
          // Snooze columns are not written: a request may have changed them since they were read.
          await tx
            .insert(alertTable)
            .values(plan.save.map(alert => ({ ...alert, ...ruleTexts(alert, options.rules) })))
            .onConflictDoUpdate({
              target: alertTable.id,
              set: {
                what: sql`excluded.what`,
                lastSeenAt: sql`excluded.last_seen_at`,
                openedAt: sql`excluded.opened_at`,
                clearEvaluations: sql`excluded.clear_looks`,
                resolvedAt: sql`excluded.resolved_at`,
              },
            });
        }
        await insertMessages(tx, plan.notify, options);
      }),
  };
}

function ruleTexts({ rule: id }: UnresolvedAlert, rules: readonly AlertRule[]) {
  const rule = rules.find(one => one.id === id);
  // New alerts come from rules of this version; for others these values are not written.
  return rule ? { severity: rule.severity, mend: rule.remediation } : { severity: 'warning' as const, mend: '' };
}

async function insertMessages(
  tx: Db,
  { opened, reminded, resolved }: AlertPlan['notify'],
  { channels: configured, now }: ApplyOptions,
): Promise<void> {
  const ids = [...opened, ...reminded, ...resolved];
  if (ids.length === 0) return;
  const rows = await tx.update(alertTable).set({ notifiedAt: now }).where(inArray(alertTable.id, ids)).returning();
  const alerts = rows.map(toAlert).sort((one, other) => one.openedAt.localeCompare(other.openedAt));
  const pick = (wanted: readonly string[]) => alerts.filter(({ id }) => wanted.includes(id));
  const news: AlertNews = {
    at: now.toISOString(),
    opened: pick(opened),
    reminded: pick(reminded),
    resolved: pick(resolved),
  };
  await tx
    .insert(alertMessageTable)
    .values(channels.filter(channel => configured.includes(channel)).map(channel => ({ id: uuidv7(), channel, news })));
}
