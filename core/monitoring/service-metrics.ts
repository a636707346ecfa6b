/** The Prometheus metrics of the whole service, which each API process reads from the database at a scrape. */

import type { Logger } from 'pino';
import { Gauge, Registry } from 'prom-client';
import { withTimeout } from '../runtime/timeout.ts';
import { type ConditionContext, type Conditions, readConditions } from './conditions.ts';

const databaseUp = 'portal_database_up';
/** After this time the answer says that the database is down. */
const databaseTimeoutMs = 2_000;

/** @returns Prometheus' text format */
export async function serviceMetricsText(context: ConditionContext, logger: Logger): Promise<string> {
  const metrics = serviceMetrics();
  try {
    setMetrics(metrics, await withTimeout(readConditions(context), databaseTimeoutMs), context);
    return await metrics.registry.metrics();
  } catch (error) {
    logger.warn({ err: error }, 'cannot read the database; the metrics of the whole service are missing');
    metrics.databaseUp.set(0);
    return `${await metrics.registry.getSingleMetricAsString(databaseUp)}\n`;
  }
}

/** A new registry for each scrape, so that no old label remains. */
export function serviceMetrics() {
  const registry = new Registry();
  const gauge = <L extends string = never>(name: string, help: string, ...labelNames: L[]) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  return {
    registry,
    databaseUp: gauge(databaseUp, '1 when PostgreSQL answered; 0 when the metrics of the service are missing.'),
    jobs: gauge(
      'portal_jobs',
      'Jobs that have not ended: queued, scheduled (for a retry), running, held.',
      'kind',
      'state',
    ),
    oldestWaitingSeconds: gauge(
      'portal_job_oldest_waiting_seconds',
      'Waiting time of the oldest queued job; 0 when none waits.',
      'kind',
    ),
    workers: gauge(
      'portal_workers',
      'Processes that run jobs of the kind; the kind `scheduler` counts schedulers.',
      'kind',
    ),
    endedLastHour: gauge('portal_jobs_ended_last_hour', 'Jobs that succeeded or failed within an hour.', 'kind'),
    failedLastHour: gauge(
      'portal_jobs_failed_last_hour',
      'Jobs that failed within an hour, without those that failed because of their input.',
      'kind',
    ),
    scheduleFailed: gauge('portal_schedule_failed', '1 when the last run of the schedule failed, else 0.', 'schedule'),
    scheduleMissed: gauge(
      'portal_schedule_missed',
      '1 when the schedule was due and did not run, or its last run was missed and is not made up for; else 0.',
      'schedule',
    ),
    waitingForSystem: gauge(
      'portal_jobs_waiting_for_system',
      'Jobs that wait because a call to the outside system failed.',
      'system',
    ),
    withoutSpace: gauge('portal_jobs_waiting_for_space', 'Jobs that wait because a disk is full.'),
    callbacksGivenUp: gauge('portal_callbacks_given_up', 'Callbacks given up within the last 24 hours.'),
    smsBalance: gauge(
      'portal_sms_balance',
      'Balance at the SMS gateway, in its currency, as read last; absent while unknown.',
    ),
    secretsExpiring: gauge(
      'portal_client_secrets_expiring',
      'Clients that still use a replaced secret which expires within a day.',
    ),
    listingActionDays: gauge(
      'portal_listing_action_days_left',
      'Days until the listing portal acts on the listing unless it is corrected; negative after that.',
      'listing',
      'action',
    ),
  };
}

function setMetrics(
  metrics: ReturnType<typeof serviceMetrics>,
  conditions: Conditions,
  { contracts, schedules }: ConditionContext,
): void {
  metrics.databaseUp.set(1);
  for (const { kind, oldestWaitingSeconds, ...states } of conditions.openCounts) {
    for (const [state, count] of Object.entries(states)) metrics.jobs.set({ kind, state }, count);
    metrics.oldestWaitingSeconds.set({ kind }, oldestWaitingSeconds);
  }
  for (const kind of contracts.keys()) metrics.workers.set({ kind }, 0);
  for (const { kind, alive } of conditions.workers) metrics.workers.set({ kind }, alive);
  for (const { kind, ended, failed } of conditions.lastHour) {
    metrics.endedLastHour.set({ kind }, ended);
    metrics.failedLastHour.set({ kind }, failed);
  }
  const isIn = (found: readonly { name: string }[], name: string) => Number(found.some(one => one.name === name));
  for (const { name: schedule } of schedules) {
    metrics.scheduleFailed.set({ schedule }, isIn(conditions.failedSchedules, schedule));
    metrics.scheduleMissed.set({ schedule }, isIn(conditions.missedSchedules, schedule));
  }
  for (const { system, jobs } of conditions.jobsWaitingForSystems) metrics.waitingForSystem.set({ system }, jobs);
  metrics.withoutSpace.set(conditions.jobsWithoutSpace);
  metrics.callbacksGivenUp.set(conditions.callbacksGivenUp);
  if (conditions.smsBalance) metrics.smsBalance.set(conditions.smsBalance.amount);
  else metrics.smsBalance.remove();
  metrics.secretsExpiring.set(conditions.expiringSecrets.length);
  for (const { listing, action, daysLeft } of conditions.listingActions)
    metrics.listingActionDays.set({ listing, action }, daysLeft);
}
