/**
 * Deletes rows whose time is over, a batch at a time. What somebody is just changing is left for the next batch, so that
 * every deletion may be repeated, and is harmless when two processes do it at once.
 */
import { lt, type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { alertTable as alert, alertMessageTable as alertMessage } from '../../core/alerts/schema.ts';
import {
  jobCallbackTable as callback,
  callbackSecretTable as callbackSecret,
} from '../../core/callbacks/schema.ts';
import { activityNoteTable as note } from '../../core/domain/leads/schema.ts';
import { clickTable as click } from '../../core/domain/links/click-schema.ts';
import {
  dncCheckTable as dncCheck,
  smsMessageTable as sms,
  smsBalanceTable as smsBalance,
} from '../../core/domain/telephony/schema.ts';
import { effectTable as effect } from '../../core/effects/schema.ts';
import { idempotencyKeyTable as key } from '../../core/idempotency/schema.ts';
import { callBudgetTable as budget } from '../../core/integrations/kit/schema.ts';
import { finalStates } from '../../core/jobs/record.ts';
import { jobInputTable as input, jobTable as job } from '../../core/jobs/schema/jobs.ts';
import { oauthSecretTable as secret, oauthTokenTable as token } from '../../core/oauth/schema.ts';
import type { Database } from '../../core/postgres/client.ts';
import { scheduleFireTable as fire } from '../../core/schedules/schema.ts';

/** Each deletes the oldest rows of its sort, `limit` at most, and tells how many there were. */
export type PastRetention = ReturnType<typeof createPastRetention>;

/** A secret that was replaced is shown with its client for so long after its end. */
const secretDays = 30;
/** A bucket that nobody has used for so long is empty. */
const budgetDays = 30;

export function createPastRetention(database: Database) {
  const deleteOldest = (rows: Deletion, limit: number) => deleteSome(database, rows, limit);
  const byAge =
    (table: PgTable, age: PgColumn, also?: SQL) =>
    (days: number, limit: number): Promise<number> =>
      deleteOldest(
        { table, age, where: also ? sql`${olderThan(age, days)} and ${also}` : olderThan(age, days) },
        limit,
      );
  const ended = (table: PgTable, age: PgColumn) => (limit: number) =>
    deleteOldest({ table, age, where: lt(age, now) }, limit);

  return {
    tokens: ended(token, token.expiresAt),
    idempotencyKeys: ended(key, key.expiresAt),
    oauthSecrets: (limit: number) => byAge(secret, secret.expiresAt)(secretDays, limit),
    callbackSecrets: (limit: number) => byAge(callbackSecret, callbackSecret.expiresAt)(secretDays, limit),
    callBudgets: (limit: number) =>
      byAge(budget, budget.at, sql`coalesce(${budget.blockedUntil} < now(), true)`)(budgetDays, limit),

    /** With their events, plans, checkpoints and callbacks: those that are over, whose
     * result is answered no more and whose end is told. */
    jobs: byAge(
      job,
      job.finishedAt,
      sql`${job.state} in ${finalStates} and ${job.resultFile} is null
        and coalesce(${job.resultExpiresAt} < now(), true) and not exists (
        select from ${callback} where ${callback.jobId} = ${job.id} and ${callback.nextTryAt} is not null)`,
    ),

    /** Those that no job refers to. */
    jobInputs: byAge(
      input,
      input.usedAt,
      sql`not exists (select from ${job} where ${job.payload} ? 'input' and ${job.payload}->>'input' = ${input.sha256})`,
    ),

    /**
     * Those whose end is known, or is known never to be known; a claimed one is still to be looked up. As long as the
     * job that made it is there it may be run again, and must find what it did.
     */
    effects: byAge(
      effect,
      effect.createdAt,
      sql`${effect.state} in ('settled', 'unknown') and not exists (select from ${job} where ${job.id} = ${effect.jobId})`,
    ),
    /** Those that the CRM surely has. */
    activityNotes: byAge(note, note.createdAt, sql`${note.writtenAt} is not null`),

    alerts: byAge(alert, alert.resolvedAt),
    alertMessages: byAge(alertMessage, alertMessage.createdAt, sql`${alertMessage.state} <> 'pending'`),
    smsBalances: byAge(smsBalance, smsBalance.askedAt),

    dncChecks: byAge(dncCheck, dncCheck.checkedAt),
    smsMessages: byAge(sms, sms.createdAt),
    clicks: byAge(click, click.at),

    /** A schedule's newest fire by the clock stays: it says from when on fires are owed. */
    fires: byAge(
      fire,
      fire.at,
      sql`(${fire.manual} or exists (select from schedule_fire as later where later.schedule = ${fire.schedule}
        and not later.manual and later.due_at > ${fire.dueAt}))`,
    ),
  };
}

interface Deletion {
  table: PgTable;
  /** By which the oldest go first. */
  age: PgColumn;
  where: SQL;
}

const now = sql`now()`;
const olderThan = (age: PgColumn, days: number): SQL => lt(age, sql`now() - ${days} * interval '1 day'`);

async function deleteSome(
  database: Database,
  { table, age, where }: Deletion,
  limit: number,
): Promise<number> {
  const { rowCount } = await database.execute(sql`
    delete from ${table} where ctid = any(array(
      select ctid from ${table} where ${where} order by ${age} limit ${limit} for update skip locked))`);
  return rowCount ?? 0;
}
