/**
 * Deletes rows past their retention, the oldest first. Rows that another transaction has locked are left for the next
 * batch, so deletions can be repeated and run in two processes at once.
 */
import { lt, type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { jobCallbackTable as callback, callbackSecretTable as callbackSecret } from '../../../core/callbacks/schema.ts';
import { createEmployeeSnapshots } from '../../../core/domain/employees/snapshots.ts';
import { activityNoteTable as note } from '../../../core/domain/leads/schema.ts';
import { portalEventTable as portalEvent } from '../../../core/domain/portal-events/schema.ts';
import {
  dncCheckTable as dncCheck,
  smsMessageTable as sms,
  smsBalanceTable as smsBalance,
} from '../../../core/domain/telephony/schema.ts';
import { effectTable as effect } from '../../../core/effects/schema.ts';
import { idempotencyKeyTable as key } from '../../../core/idempotency/schema.ts';
import { callBudgetTable as budget } from '../../../core/integrations/kit/schema.ts';
import { finalStates } from '../../../core/jobs/record.ts';
import { jobEventTable as event, jobInputTable as input, jobTable as job } from '../../../core/jobs/schema.ts';
import { notificationTable as notification } from '../../../core/notifications/schema.ts';
import { oauthSecretTable as secret, oauthTokenTable as token } from '../../../core/oauth/schema.ts';
import type { Database } from '../../../core/postgres/client.ts';
import { scheduleFireTable as run } from '../../../core/schedules/schema.ts';
import type { MaintenanceConfig } from '../config.ts';
import { defineTask, inBatches, type MaintenanceTask } from '../task.ts';

interface ExpiringRows {
  table: PgTable;
  /** Start of the retention. */
  age: PgColumn;
  /** Retention, or the setting with it; a setting that is not set: unlimited. */
  days: number | Exclude<keyof MaintenanceConfig, 'HELD_JOB_DAYS'>;
  /** Further condition of the deletion. */
  where?: SQL;
}

const expired = (table: PgTable, expiresAt: PgColumn): ExpiringRows => ({ table, age: expiresAt, days: 0 });

/** By task, then by the name of the count in the task's report. */
export const retention = {
  'access-tokens': {
    tokens: expired(token, token.expiresAt),
    // Replaced secrets are shown with their client for 30 days.
    clientSecrets: { table: secret, age: secret.expiresAt, days: 30 },
    callbackSecrets: { table: callbackSecret, age: callbackSecret.expiresAt, days: 30 },
  },

  effects: {
    // Settled or permanently unknown effects. A job that is still stored may be retried and needs its effects.
    effects: {
      table: effect,
      age: effect.createdAt,
      days: 'EFFECT_RETENTION_DAYS',
      where: sql`${effect.state} in ('settled', 'unknown') and not exists (select from ${job} where ${job.id} = ${effect.jobId})`,
    },
    activityNotes: {
      table: note,
      age: note.createdAt,
      days: 'EFFECT_RETENTION_DAYS',
      where: sql`${note.writtenAt} is not null`,
    },
    // Unused for so long, a budget is full again; the next use inserts it.
    callBudgets: {
      table: budget,
      age: budget.at,
      days: 30,
      where: sql`coalesce(${budget.blockedUntil} < now(), true)`,
    },
  },

  'idempotency-keys': {
    keys: expired(key, key.expiresAt),
  },

  jobs: {
    // With their events, plans, checkpoints and callbacks. Jobs with an available result or a pending callback are kept.
    jobs: {
      table: job,
      age: job.finishedAt,
      days: 'JOB_RETENTION_DAYS',
      where: sql`${job.state} in ${finalStates} and ${job.resultFile} is null
        and coalesce(${job.resultExpiresAt} < now(), true) and not exists (
        select from ${callback} where ${callback.jobId} = ${job.id} and ${callback.nextTryAt} is not null)`,
    },
    // The timeline has the first progress of each stage; a stream resumes within a day.
    progress: { table: event, age: event.at, days: 1, where: sql`${event.isRepeat}` },
    inputs: {
      table: input,
      age: input.usedAt,
      days: 'JOB_RETENTION_DAYS',
      where: sql`not exists (select from ${job} where ${job.payload} ? 'input' and ${job.payload}->>'input' = ${input.sha256})`,
    },
  },

  notifications: {
    notifications: {
      table: notification,
      age: notification.createdAt,
      days: 'JOB_RETENTION_DAYS',
      where: sql`${notification.state} <> 'pending'`,
    },
  },

  // Longer than the three months that the portal's enquiries can be read, which would become leads again.
  'portal-events': {
    events: { table: portalEvent, age: portalEvent.receivedAt, days: 100 },
  },

  'schedule-fires': {
    // The newest run of the clock is kept: missed runs are counted from it.
    fires: {
      table: run,
      age: run.at,
      days: 400,
      where: sql`(${run.manual} or exists (select from schedule_fire as later where later.schedule = ${run.schedule}
        and not later.manual and later.due_at > ${run.dueAt}))`,
    },
  },

  // The same retention for messages and checks: the check is the proof that the SMS was allowed.
  telephony: {
    messages: { table: sms, age: sms.createdAt, days: 'TELEPHONY_RETENTION_DAYS' },
    balances: { table: smsBalance, age: smsBalance.askedAt, days: 'JOB_RETENTION_DAYS' },
    dncChecks: { table: dncCheck, age: dncCheck.checkedAt, days: 'TELEPHONY_RETENTION_DAYS' },
  },
} satisfies Record<string, Record<string, ExpiringRows>>;

const retentionTask = ([name, counted]: [string, Record<string, ExpiringRows>]): MaintenanceTask =>
  defineTask({
    name,
    run({ database, config }, time) {
      const batches = Object.entries(counted).flatMap(([count, rows]) => {
        const days = typeof rows.days === 'number' ? rows.days : config[rows.days];
        if (days === undefined) return [];
        return [[count, (limit: number) => deleteOldest(database, rows, days, limit)] as const];
      });
      return inBatches(time, Object.fromEntries(batches));
    },
  });

/** @returns the number of deleted rows, `limit` at most */
export async function deleteOldest(
  database: Database,
  { table, age, where }: ExpiringRows,
  days: number,
  limit: number,
): Promise<number> {
  const isOld = lt(age, sql`now() - ${days} * interval '1 day'`);
  const { rowCount } = await database.execute(sql`
    delete from ${table} where ctid = any(array(
      select ctid from ${table} where ${where ? sql`${isOld} and ${where}` : isOld}
      order by ${age} limit ${limit} for update skip locked))`);
  return rowCount ?? 0;
}

/** The snapshots store their own end. */
const employeeSnapshots = defineTask({
  name: 'employee-snapshots',
  run: async ({ database }) => ({
    counts: { snapshots: await createEmployeeSnapshots(database).deleteExpired() },
    finished: true,
  }),
});

export default [...Object.entries(retention).map(retentionTask), employeeSnapshots];
