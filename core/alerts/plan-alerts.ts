/** Decides, from what the rules found, which alerts open and which are over, and which of them a message tells. */
import type { AlertRule, Finding } from './rule.ts';

/** What is remembered of an alert that is not over. */
export interface KnownAlert {
  id: string;
  rule: string;
  subject: string;
  what: string;
  firstSeenAt: Date;
  lastSeenAt: Date;
  /** Null: it is not known yet whether it lasts. */
  openedAt: Date | null;
  /** Looks in a row that did not find it. */
  clearLooks: number;
  notifiedAt: Date | null;
  snoozedUntil: Date | null;
  resolvedAt: Date | null;
}

/** A rule and what it found; `unknown` when it could not tell. */
export interface Reading {
  rule: Pick<AlertRule, 'id' | 'lastsSeconds'>;
  found: readonly Finding[] | 'unknown';
}

export interface AlertPlan {
  /** As they are to be kept; a new one has an id nobody knows. */
  keep: KnownAlert[];
  /** Never told, and gone: they were nothing. */
  drop: string[];
  /** Ids of those that a message is to tell; all empty when there is nothing to tell. */
  tell: { opened: string[]; reminded: string[]; resolved: string[] };
}

export interface PlanOptions {
  now: Date;
  remindAfterMs: number;
  /** Whether there is anybody to tell: while there is not, alerts wait to be told. */
  hasReceiver: boolean;
  newId: () => string;
}

/** An alert is over when it was not found so often in a row: what comes and goes is one alert, not many. */
const clearLooksToEnd = 2;

/** @param known those that are not over */
export function planAlerts(
  known: readonly KnownAlert[],
  readings: readonly Reading[],
  options: PlanOptions,
): AlertPlan {
  const keep: KnownAlert[] = [];
  const drop: string[] = [];
  const readingOf = new Map(readings.map(reading => [reading.rule.id, reading]));
  for (const alert of known) {
    const reading = readingOf.get(alert.rule);
    const finding = reading && findingOf(alert, reading);
    if (reading?.found === 'unknown') keep.push(alert);
    else if (finding && reading) keep.push(seenAgain(alert, finding, reading, options.now));
    else if (alert.openedAt === null) drop.push(alert.id);
    else keep.push(notSeen(alert, options.now));
  }
  const isKnown = (rule: string, subject: string) =>
    known.some(alert => alert.rule === rule && alert.subject === subject);
  for (const { rule, found } of readings) {
    if (found === 'unknown') continue;
    for (const finding of found) {
      if (!isKnown(rule.id, finding.subject)) keep.push(newAlert(rule, finding, options));
    }
  }
  return { keep, drop, tell: tellOf(keep, options) };
}

const findingOf = ({ subject }: KnownAlert, { found }: Reading): Finding | undefined =>
  found === 'unknown' ? undefined : found.find(one => one.subject === subject);

function newAlert(
  rule: Reading['rule'],
  { subject, what }: Finding,
  { now, newId }: PlanOptions,
): KnownAlert {
  return {
    id: newId(),
    rule: rule.id,
    subject,
    what,
    firstSeenAt: now,
    lastSeenAt: now,
    openedAt: rule.lastsSeconds === 0 ? now : null,
    clearLooks: 0,
    notifiedAt: null,
    snoozedUntil: null,
    resolvedAt: null,
  };
}

function seenAgain(alert: KnownAlert, { what }: Finding, { rule }: Reading, now: Date): KnownAlert {
  const lasts = now.getTime() - alert.firstSeenAt.getTime() >= rule.lastsSeconds * 1_000;
  return { ...alert, what, lastSeenAt: now, clearLooks: 0, openedAt: alert.openedAt ?? (lasts ? now : null) };
}

function notSeen(alert: KnownAlert, now: Date): KnownAlert {
  const clearLooks = alert.clearLooks + 1;
  return { ...alert, clearLooks, resolvedAt: clearLooks >= clearLooksToEnd ? now : null };
}

function tellOf(alerts: readonly KnownAlert[], { now, remindAfterMs, hasReceiver }: PlanOptions) {
  const tell: AlertPlan['tell'] = { opened: [], reminded: [], resolved: [] };
  if (!hasReceiver) return tell;
  const loud = alerts.filter(
    ({ openedAt, resolvedAt, snoozedUntil }) =>
      openedAt !== null && resolvedAt === null && (snoozedUntil === null || snoozedUntil <= now),
  );
  const told = loud.filter(({ notifiedAt }) => notifiedAt !== null);
  const isDue = ({ notifiedAt }: KnownAlert) =>
    notifiedAt !== null && now.getTime() - notifiedAt.getTime() >= remindAfterMs;
  tell.opened = loud.filter(({ notifiedAt }) => notifiedAt === null).map(({ id }) => id);
  // One reminder for all that is open, not one for each at its own hour.
  tell.reminded = told.some(isDue) ? told.map(({ id }) => id) : [];
  tell.resolved = alerts
    .filter(({ resolvedAt, notifiedAt }) => resolvedAt !== null && notifiedAt !== null)
    .map(({ id }) => id);
  return tell;
}
