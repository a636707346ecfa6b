/** Decides from the findings which alerts open, which are resolved, and which of them go into a message. */
import type { AlertRule, RuleFinding } from './rule.ts';
import type { alertTable } from './schema.ts';

/** A pending or open alert, without the texts of its rule. */
export type UnresolvedAlert = Omit<typeof alertTable.$inferSelect, 'severity' | 'mend' | 'snoozedBy'>;

/** The findings of a rule; `unknown` when it failed. */
export interface RuleResult {
  rule: Pick<AlertRule, 'id' | 'lastsSeconds'>;
  found: readonly RuleFinding[] | 'unknown';
}

export interface AlertPlan {
  /** Alerts to insert or update. */
  save: UnresolvedAlert[];
  /** Pending alerts without a finding; deleted. */
  drop: string[];
  /** Ids of the alerts for the next message; all empty: no message. */
  notify: { opened: string[]; reminded: string[]; resolved: string[] };
}

export interface PlanOptions {
  now: Date;
  remindAfterMs: number;
  /** Without a receiver no message is written; alerts stay unnotified. */
  hasReceiver: boolean;
  newId: () => string;
}

/** Evaluations without a finding that resolve an alert, so that an intermittent problem is one alert. */
const evaluationsToResolve = 2;

export function planAlerts(
  unresolved: readonly UnresolvedAlert[],
  results: readonly RuleResult[],
  options: PlanOptions,
): AlertPlan {
  const save: UnresolvedAlert[] = [];
  const drop: string[] = [];
  const resultOf = new Map(results.map(result => [result.rule.id, result]));
  for (const alert of unresolved) {
    const result = resultOf.get(alert.rule);
    const finding = result && findingOf(alert, result);
    if (result?.found === 'unknown') save.push(alert);
    else if (finding && result) save.push(stillFound(alert, finding, result, options.now));
    else if (alert.openedAt === null) drop.push(alert.id);
    else save.push(notFound(alert, options.now));
  }
  const isKnown = (rule: string, subject: string) =>
    unresolved.some(alert => alert.rule === rule && alert.subject === subject);
  for (const { rule, found } of results) {
    if (found === 'unknown') continue;
    for (const finding of found) {
      if (!isKnown(rule.id, finding.subject)) save.push(newAlert(rule, finding, options));
    }
  }
  return { save, drop, notify: notifyOf(save, options) };
}

const findingOf = ({ subject }: UnresolvedAlert, { found }: RuleResult): RuleFinding | undefined =>
  found === 'unknown' ? undefined : found.find(one => one.subject === subject);

function newAlert(
  rule: RuleResult['rule'],
  { subject, what }: RuleFinding,
  { now, newId }: PlanOptions,
): UnresolvedAlert {
  return {
    id: newId(),
    rule: rule.id,
    subject,
    what,
    firstSeenAt: now,
    lastSeenAt: now,
    openedAt: rule.lastsSeconds === 0 ? now : null,
    clearEvaluations: 0,
    notifiedAt: null,
    snoozedUntil: null,
    resolvedAt: null,
  };
}

function stillFound(alert: UnresolvedAlert, { what }: RuleFinding, { rule }: RuleResult, now: Date): UnresolvedAlert {
  const lasts = now.getTime() - alert.firstSeenAt.getTime() >= rule.lastsSeconds * 1_000;
  return {
    ...alert,
    what,
    lastSeenAt: now,
    clearEvaluations: 0,
    openedAt: alert.openedAt ?? (lasts ? now : null),
  };
}

function notFound(alert: UnresolvedAlert, now: Date): UnresolvedAlert {
  const clearEvaluations = alert.clearEvaluations + 1;
  return { ...alert, clearEvaluations, resolvedAt: clearEvaluations >= evaluationsToResolve ? now : null };
}

function notifyOf(alerts: readonly UnresolvedAlert[], { now, remindAfterMs, hasReceiver }: PlanOptions) {
  const notify: AlertPlan['notify'] = { opened: [], reminded: [], resolved: [] };
  if (!hasReceiver) return notify;
  const active = alerts.filter(
    ({ openedAt, resolvedAt, snoozedUntil }) =>
      openedAt !== null && resolvedAt === null && (snoozedUntil === null || snoozedUntil <= now),
  );
  const notified = active.filter(({ notifiedAt }) => notifiedAt !== null);
  const isDue = ({ notifiedAt }: UnresolvedAlert) =>
    notifiedAt !== null && now.getTime() - notifiedAt.getTime() >= remindAfterMs;
  notify.opened = active.filter(({ notifiedAt }) => notifiedAt === null).map(({ id }) => id);
  // One reminder for all open alerts, instead of one each at its own hour.
  notify.reminded = notified.some(isDue) ? notified.map(({ id }) => id) : [];
  notify.resolved = alerts
    .filter(({ resolvedAt, notifiedAt }) => resolvedAt !== null && notifiedAt !== null)
    .map(({ id }) => id);
  return notify;
}
