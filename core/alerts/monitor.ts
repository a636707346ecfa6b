/** Evaluates the alert rules periodically, and sends the messages about opened and resolved alerts. */
import { v7 as uuidv7 } from 'uuid';
import type { JobContract } from '../jobs/contract.ts';
import { startInterval } from '../runtime/interval.ts';
import type { ServiceConfig } from '../runtime/service-config.ts';
import { offReasonOf, type ScheduleConfig } from '../schedules/config.ts';
import { schedulesOf } from '../schedules/schedule.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Channel } from './alert.ts';
import type { AlertConfig } from './config.ts';
import { createAlertOutbox, deliver } from './outbox.ts';
import { type AlertPlan, planAlerts, type RuleResult, type UnresolvedAlert } from './plan-alerts.ts';
import { type BalanceContext, readBalance } from './read-balance.ts';
import { type AlertRule, discoverRules, type RuleContext } from './rule.ts';
import { openSenders } from './senders.ts';
import { type AlertStore, createAlertStore } from './store.ts';

export interface MonitorOptions {
  alerts: AlertConfig;
  service: ServiceConfig & ScheduleConfig;
  contracts: ReadonlyMap<string, JobContract>;
  /** Time between evaluations, in all processes together. */
  everyMs?: number;
  /** Waits before each further try to send a message; after the last it is given up. */
  retrySeconds?: readonly number[];
}

export interface AlertMonitor {
  /** Evaluates now, or right after the evaluation in progress. */
  evaluateNow(): void;
  /** Waits for the evaluation and the delivery in progress. */
  stop(): Promise<void>;
}

const defaultEveryMs = 30_000;
/** About 27 hours in total. */
const defaultRetrySeconds = [5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800, 43_200];
/** Polls for messages that other processes wrote, and for retries. */
const deliverEveryMs = 5_000;

/** Any number of processes may run a monitor: one of them does each evaluation and sends each message. */
export async function startAlertMonitor(
  context: BalanceContext,
  { alerts, service, contracts, ...options }: MonitorOptions,
): Promise<AlertMonitor> {
  const { everyMs = defaultEveryMs, retrySeconds = defaultRetrySeconds } = options;
  const { database, logger } = context;
  const rules = await discoverRules();
  const schedules = new Map([...schedulesOf(contracts)].filter(([, schedule]) => !offReasonOf(schedule, service)));
  const senders = await openSenders(alerts, service, logger);
  const store = createAlertStore(database);
  const outbox = createAlertOutbox(database);
  const evaluation = { rules, channels: [...senders.keys()], remindHours: alerts.ALERT_REMIND_HOURS };

  const delivering = [...senders].map(([channel, sender]) =>
    startInterval(`alerts by ${channel}`, Math.min(deliverEveryMs, everyMs), logger, () =>
      deliver(channel, sender, { outbox, retrySeconds, logger }),
    ),
  );
  const evaluating = startInterval('alerts', everyMs, logger, async () => {
    // Less than the interval, so that an early timer does not skip an evaluation.
    const wasRun = await store.runIfDue(everyMs * 0.9, async () => {
      await readBalance(context);
      const ruleContext = { database, limits: alerts, contracts, schedules, now: new Date() };
      await evaluateRules(store, ruleContext, evaluation, logger);
    });
    if (wasRun) for (const delivery of delivering) delivery.runNow();
  });

  return {
    evaluateNow: evaluating.runNow,
    async stop() {
      await evaluating.stop();
      await Promise.all(delivering.map(delivery => delivery.stop()));
      for (const sender of senders.values()) sender.close();
    },
  };
}

interface EvaluationOptions {
  rules: readonly AlertRule[];
  /** Empty: alerts open, but no message is sent. */
  channels: readonly Channel[];
  remindHours: number;
}

/** Runs in one process at a time (`AlertStore.runIfDue`). */
async function evaluateRules(
  store: AlertStore,
  context: RuleContext,
  { rules, channels, remindHours }: EvaluationOptions,
  logger: Logger,
): Promise<void> {
  const results: RuleResult[] = [];
  for (const rule of rules) results.push(await evaluateRule(rule, context, logger));
  const unresolved = await store.unresolved();
  const plan = planAlerts(unresolved, results, {
    now: context.now,
    remindAfterMs: remindHours * 3_600_000,
    hasReceiver: channels.length > 0,
    newId: uuidv7,
  });
  await store.apply(plan, { rules, channels, now: context.now });
  logChanges(unresolved, plan, logger);
}

/** A rule that throws does not affect other rules, nor its present alerts. */
async function evaluateRule(rule: AlertRule, context: RuleContext, logger: Logger): Promise<RuleResult> {
  try {
    return { rule, found: await rule.find(context) };
  } catch (error) {
    logger.warn({ err: error, rule: rule.id }, 'alert rule failed');
    return { rule, found: 'unknown' };
  }
}

function logChanges(unresolved: readonly UnresolvedAlert[], { save }: AlertPlan, logger: Logger): void {
  const before = new Map(unresolved.map(alert => [alert.id, alert]));
  for (const { id, rule, subject, openedAt, resolvedAt } of save) {
    const facts = { alertId: id, rule, subject };
    if (openedAt && !before.get(id)?.openedAt) logger.warn(facts, 'alert opened');
    if (resolvedAt) logger.info(facts, 'alert resolved');
  }
}
