/** One look: goes through the rules and writes what has opened, what is over, and the messages that tell of it. */
import { v7 as uuidv7 } from 'uuid';
import type { Logger } from '../telemetry/logger.ts';
import type { Channel } from './alert.ts';
import { type AlertPlan, type KnownAlert, planAlerts, type Reading } from './plan-alerts.ts';
import type { AlertGround, AlertRule } from './rule.ts';
import type { AlertLooks } from './store.ts';

export interface LookOptions {
  rules: readonly AlertRule[];
  /** Who is told; empty: nobody. */
  receivers: readonly Channel[];
  remindHours: number;
}

/** One at a time in all processes (`AlertLooks.take`). */
export async function look(
  looks: AlertLooks,
  ground: AlertGround,
  { rules, receivers, remindHours }: LookOptions,
  logger: Logger,
): Promise<void> {
  const readings: Reading[] = [];
  for (const rule of rules) readings.push(await read(rule, ground, logger));
  const known = await looks.unresolved();
  const plan = planAlerts(known, readings, {
    now: ground.now,
    remindAfterMs: remindHours * 3_600_000,
    hasReceiver: receivers.length > 0,
    newId: uuidv7,
  });
  const words = new Map(rules.map(({ id, severity, mend }) => [id, { severity, mend }]));
  await looks.carryOut(plan, { words, receivers, now: ground.now });
  log(known, plan, logger);
}

/** A rule that cannot tell must not hold up the others, nor end its alerts. */
async function read(rule: AlertRule, ground: AlertGround, logger: Logger): Promise<Reading> {
  try {
    return { rule, found: await rule.find(ground) };
  } catch (error) {
    logger.warn({ err: error, rule: rule.id }, 'an alert rule could not tell');
    return { rule, found: 'unknown' };
  }
}

function log(known: readonly KnownAlert[], { keep }: AlertPlan, logger: Logger): void {
  const before = new Map(known.map(alert => [alert.id, alert]));
  for (const { id, rule, subject, openedAt, resolvedAt } of keep) {
    const facts = { alertId: id, rule, subject };
    if (openedAt && !before.get(id)?.openedAt) logger.warn(facts, 'an alert has opened');
    if (resolvedAt) logger.info(facts, 'an alert is over');
  }
}
