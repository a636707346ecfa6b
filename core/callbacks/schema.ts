/** Callbacks: where the end of a job is to be told, how far that has come, and the secrets it is signed with. */
import { sql } from 'drizzle-orm';
import { bigint, check, index, integer, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import type { CallbackState } from '../jobs/record.ts';
import { jobTable } from '../jobs/schema/jobs.ts';
import { time } from '../postgres/schema/time.ts';

/** The outbox: a trigger on the job's row makes the callback due in the same statement that ends the job. */
export const jobCallbackTable = pgTable(
  'job_callback',
  {
    jobId: text('job_id')
      .primaryKey()
      .references(() => jobTable.id, { onDelete: 'cascade' }),
    url: text('url').notNull(),
    state: text('state').$type<CallbackState>().notNull().default('pending'),
    /** The event of the end that is told; null while the job has none. A job that is run again has another. */
    eventId: bigint('event_id', { mode: 'number' }),
    /** Tries for this end. */
    tries: integer('tries').notNull().default(0),
    lastStatus: integer('last_status'),
    lastError: text('last_error'),
    /** Null: nothing to do. While a process tries, the time from which another may. */
    nextTryAt: time('next_try_at'),
    deliveredAt: time('delivered_at'),
  },
  table => [
    check('job_callback_state', sql`${table.state} in ('pending', 'delivered', 'failed')`),
    index('job_callback_due').on(table.nextTryAt).where(sql`${table.nextTryAt} is not null`),
    index('job_callback_failed').on(table.jobId).where(sql`${table.state} = 'failed'`),
  ],
);

/** Kept as they are, because signing needs them: with one a receiver is deceived, but nothing of the service is reached. */
export const callbackSecretTable = pgTable(
  'callback_secret',
  {
    clientId: text('client_id').notNull(),
    secret: text('secret').notNull(),
    createdAt: time('created_at').notNull().defaultNow(),
    /** Null: the current one. Until then a replaced secret signs as well. */
    expiresAt: time('expires_at'),
  },
  table => [
    primaryKey({ columns: [table.clientId, table.secret] }),
    uniqueIndex('callback_secret_current').on(table.clientId).where(sql`${table.expiresAt} is null`),
  ],
);
