/** Jobs: their rows, and the large input they refer to. */
import { sql } from 'drizzle-orm';
import { check, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { time } from '../../postgres/schema/time.ts';
import type { Problem } from '../../runtime/problem.ts';
import type { JobState, Progress, ResultFile, Warning } from '../record.ts';

export const jobTable = pgTable(
  'job',
  {
    id: text('id').primaryKey(),
    kind: text('kind').notNull(),
    clientId: text('client_id').notNull(),
    state: text('state').$type<JobState>().notNull().default('queued'),
    payload: jsonb('payload').$type<unknown>().notNull(),
    /** Of the jobs of a kind with the same key at most one may be open; null: any number. */
    exclusiveKey: text('exclusive_key'),
    progress: jsonb('progress').$type<Progress>(),
    attemptsMade: integer('attempts_made').notNull().default(0),
    attemptsMax: integer('attempts_max').notNull(),
    /** The run that holds the job; a run that finds another here lost its claim. */
    runId: uuid('run_id'),
    result: jsonb('result').$type<unknown>(),
    resultFile: jsonb('result_file').$type<ResultFile>(),
    error: jsonb('error').$type<Problem>(),
    warnings: jsonb('warnings').$type<Warning[]>().notNull().default([]),
    /** The outside systems that the sandbox stood in for in the last run. */
    sandboxes: text('sandboxes').array().notNull().default([]),
    cancelRequestedAt: time('cancel_requested_at'),
    /** A job that was never begun by then is dropped. */
    startBy: time('start_by'),
    /** Its place in the fair order of its kind: lower goes first. A trigger gives it when the job is (again) queued. */
    turn: integer('turn').notNull().default(1),
    /** The result is answered until then; null while there is none. */
    resultExpiresAt: time('result_expires_at'),
    /** Until then its result may answer jobs with the same payload; null: never. */
    reusableUntil: time('reusable_until'),
    /** What besides the payload a reusable result depends on, as its handler named it. */
    edition: text('edition'),
    /** The job whose result this one was answered with, so that no worker saw it; null: it was queued. */
    reusedFrom: text('reused_from'),
    /** The request that made it, for the log. */
    requestId: text('request_id'),
    createdAt: time('created_at').notNull().defaultNow(),
    /** Since when it waits; a trigger writes it whenever the job is (again) queued. */
    queuedAt: time('queued_at').notNull().defaultNow(),
    startedAt: time('started_at'),
    finishedAt: time('finished_at'),
    /** Last sign of life of a job that is not final; the sweeper reads and moves it. */
    touchedAt: time('touched_at').notNull().defaultNow(),
  },
  table => [
    check(
      'job_state',
      sql`${table.state} in ('queued', 'scheduled', 'running', 'held', 'succeeded', 'failed', 'cancelled')`,
    ),
    uniqueIndex('job_exclusive')
      .on(table.kind, table.exclusiveKey)
      .where(sql`${table.exclusiveKey} is not null and ${table.state} in ('queued', 'scheduled', 'running')`),
    index('job_held').on(table.kind, table.exclusiveKey).where(sql`${table.state} = 'held'`),
    index('job_of_client').on(table.clientId, table.createdAt, table.id),
    index('job_newest').on(table.createdAt, table.id),
    index('job_open').on(table.touchedAt).where(sql`${table.state} in ('queued', 'scheduled', 'running')`),
    index('job_start_by')
      .on(table.startBy)
      .where(sql`${table.state} = 'queued' and ${table.startBy} is not null`),
    index('job_waiting').on(table.kind, table.queuedAt).where(sql`${table.state} = 'queued'`),
    index('job_turn')
      .on(table.kind, table.state, table.turn)
      .where(sql`${table.state} in ('queued', 'running')`),
    index('job_turn_of_client')
      .on(table.kind, table.clientId, table.turn)
      .where(sql`${table.state} in ('queued', 'scheduled', 'running')`),
    index('job_result_expiry').on(table.resultExpiresAt).where(sql`${table.resultFile} is not null`),
    index('job_result_key')
      .on(sql`(${table.resultFile}->>'key')`)
      .where(sql`${table.resultFile} is not null`),
    index('job_finished').on(table.finishedAt).where(sql`${table.finishedAt} is not null`),
    index('job_of_input').on(sql`(${table.payload}->>'input')`).where(sql`${table.payload} ? 'input'`),
    index('job_failed').on(table.finishedAt, table.kind).where(sql`${table.state} = 'failed'`),
    // The text of jsonb is canonical: equal payloads have equal texts.
    index('job_reusable')
      .on(table.kind, sql`md5(${table.payload}::text)`, table.reusableUntil)
      .where(sql`${table.reusableUntil} is not null`),
    index('job_ended').on(table.kind, table.finishedAt).where(sql`${table.state} in ('succeeded', 'failed')`),
  ],
);

/** Large input, stored once by its hash and referred to by payloads. */
export const jobInputTable = pgTable(
  'job_input',
  {
    sha256: text('sha256').primaryKey(),
    body: text('body').notNull(),
    usedAt: time('used_at').notNull().defaultNow(),
  },
  table => [index('job_input_age').on(table.usedAt)],
);
