/** Tables of jobs and of the workers that run them. */
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { time } from '../postgres/schema.ts';
import type { Problem } from '../runtime/errors.ts';
import type { Level } from '../runtime/finding.ts';
import type { JobEventType } from './event.ts';
import type { JobState, PlannedChanges, Progress, ResultFile, Warning } from './record.ts';

export const jobTable = pgTable(
  'job',
  {
    id: text('id').primaryKey(),
    kind: text('kind').notNull(),
    clientId: text('client_id').notNull(),
    state: text('state').$type<JobState>().notNull().default('queued'),
    payload: jsonb('payload').$type<unknown>().notNull(),
    /** At most one job of a kind with the same key is open; null: no restriction. */
    exclusiveKey: text('exclusive_key'),
    progress: jsonb('progress').$type<Progress>(),
    /** What the run's calls to outside systems waited for at its last heartbeat; null: nothing. */
    waitsFor: text('waits_for'),
    attemptsMade: integer('attempts_made').notNull().default(0),
    attemptsMax: integer('attempts_max').notNull(),
    /** The run that claims the job; a run that finds another id here has lost its claim. */
    runId: uuid('run_id'),
    result: jsonb('result').$type<unknown>(),
    resultFile: jsonb('result_file').$type<ResultFile>(),
    error: jsonb('error').$type<Problem>(),
    warnings: jsonb('warnings').$type<Warning[]>().notNull().default([]),
    /** The outside systems that the sandbox replaced in the last run. */
    sandboxes: text('sandboxes').array().notNull().default([]),
    cancelRequestedAt: time('cancel_requested_at'),
    /** A job without a first run by then is cancelled. */
    startBy: time('start_by'),
    /** Position among the open jobs of its client and kind when it was (again) queued, from 1; the queue runs lower ones first. */
    priority: integer('priority').notNull().default(1),
    /** End of the result's retention; null without a result. */
    resultExpiresAt: time('result_expires_at'),
    /** The request that created the job, for the log. */
    requestId: text('request_id'),
    createdAt: time('created_at').notNull().defaultNow(),
    /** Start of the current wait; a trigger sets it when the job is (again) queued. */
    queuedAt: time('queued_at').notNull().defaultNow(),
    startedAt: time('started_at'),
    finishedAt: time('finished_at'),
    /** Last heartbeat of an open job; the reconciler reads and sets it. */
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
    index('job_of_kind_by_state').on(table.kind, table.state, table.createdAt, table.id),
    index('job_of_client_by_state').on(table.clientId, table.kind, table.state, table.createdAt, table.id),
    // The expression is `failedBy`'s.
    index('job_failed_by_problem')
      .on(
        table.kind,
        sql`coalesce(substring(${table.error} ->> 'type' from '[^:/]+$'), 'unknown')`,
        table.createdAt,
        table.id,
      )
      .where(sql`${table.state} = 'failed'`),
    index('job_open').on(table.touchedAt).where(sql`${table.state} in ('queued', 'scheduled', 'running')`),
    index('job_start_by').on(table.startBy).where(sql`${table.state} = 'queued' and ${table.startBy} is not null`),
    index('job_waiting').on(table.kind, table.queuedAt).where(sql`${table.state} = 'queued'`),
    index('job_priority')
      .on(table.kind, table.state, table.priority)
      .where(sql`${table.state} in ('queued', 'running')`),
    index('job_open_of_client')
      .on(table.kind, table.clientId, table.priority)
      .where(sql`${table.state} in ('queued', 'scheduled', 'running')`),
    index('job_result_expiry').on(table.resultExpiresAt).where(sql`${table.resultFile} is not null`),
    index('job_result_key').on(sql`(${table.resultFile}->>'key')`).where(sql`${table.resultFile} is not null`),
    index('job_finished').on(table.finishedAt).where(sql`${table.finishedAt} is not null`),
    index('job_of_input').on(sql`(${table.payload}->>'input')`).where(sql`${table.payload} ? 'input'`),
    index('job_of_mail').on(sql`(${table.payload}->>'mail')`).where(sql`${table.payload} ? 'mail'`),
    // Operators search the values of payloads. Brochures, which are most jobs, have their facts in the input.
    index('job_of_fact').using('gin', table.payload).where(sql`not ${table.payload} ? 'input'`),
    index('job_failed').on(table.finishedAt, table.kind).where(sql`${table.state} = 'failed'`),
    index('job_ended').on(table.kind, table.finishedAt).where(sql`${table.state} in ('succeeded', 'failed')`),
  ],
);

/** Large input, stored once under its hash; payloads refer to it. */
export const jobInputTable = pgTable(
  'job_input',
  {
    sha256: text('sha256').primaryKey(),
    body: text('body').notNull(),
    /** Upper case; null when an earlier version stored the input. */
    searchTerms: text('search_terms').array(),
    usedAt: time('used_at').notNull().defaultNow(),
  },
  table => [index('job_input_age').on(table.usedAt), index('job_input_search').using('gin', table.searchTerms)],
);

const jobId = () => text('job_id').references(() => jobTable.id, { onDelete: 'cascade' });

/** Events of each job, in order. A trigger on the job's row writes its changes, so no writer can omit them. */
export const jobEventTable = pgTable(
  'job_event',
  {
    /** Increases with each change of one job, because the lock on its row serialises them. */
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    jobId: jobId().notNull(),
    at: time('at').notNull().defaultNow(),
    type: text('type').$type<JobEventType>().notNull(),
    /** For a change: the job after it (`JobSnapshot`); for other events: their details. */
    data: jsonb('data').$type<unknown>().notNull().default({}),
    /** Further progress within a stage; deleted after a day. */
    isRepeat: boolean('is_repeat').notNull().default(false),
  },
  table => [
    index('job_event_of_job').on(table.jobId, table.id),
    index('job_event_repeats').on(table.at).where(sql`${table.isRepeat}`),
    index('job_event_put_back').on(table.at).where(sql`${table.type} = 'put-back'`),
  ],
);

/** Checkpoints, from which the next run continues. */
export const jobCheckpointTable = pgTable('job_checkpoint', {
  jobId: jobId().primaryKey(),
  value: jsonb('value').$type<unknown>().notNull(),
  writtenAt: time('written_at').notNull().defaultNow(),
});

/** Plans of held jobs, kept whole, and who released them. */
export const jobPlanTable = pgTable('job_plan', {
  jobId: jobId().primaryKey(),
  plan: jsonb('plan').$type<unknown>().notNull(),
  /** The changes by outcome and reason, with names. */
  changes: jsonb('changes').$type<PlannedChanges[]>().notNull().default([]),
  heldAt: time('held_at').notNull().defaultNow(),
  /** The client or operator; null while the job is held. */
  releasedBy: text('released_by'),
  releasedAt: time('released_at'),
});

/** Heartbeats of workers and schedulers. */
export const workerHeartbeatTable = pgTable(
  'worker_heartbeat',
  {
    workerId: text('worker_id').notNull(),
    kind: text('kind').notNull(),
    running: integer('running').notNull(),
    seenAt: time('seen_at').notNull().defaultNow(),
  },
  table => [primaryKey({ columns: [table.workerId, table.kind] })],
);

/** The latest health probe results of each worker. */
export const workerCheckTable = pgTable(
  'worker_check',
  {
    workerId: text('worker_id').notNull(),
    name: text('name').notNull(),
    level: text('level').$type<Level>().notNull(),
    found: text('found').notNull(),
    fix: text('mend'),
    checkedAt: time('checked_at').notNull().defaultNow(),
  },
  table => [primaryKey({ columns: [table.workerId, table.name] })],
);
