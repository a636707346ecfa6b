/** Tables of callbacks and the secrets that sign them. */
import { sql } from 'drizzle-orm';
import { bigint, check, index, integer, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import type { CallbackState } from '../jobs/record.ts';
import { jobTable } from '../jobs/schema.ts';
import { time } from '../postgres/schema.ts';

/** Outbox: a trigger on the job's row makes the callback due in the statement that ends the job. */
export const jobCallbackTable = pgTable(
  'job_callback',
  {
    jobId: text('job_id')
      .primaryKey()
      .references(() => jobTable.id, { onDelete: 'cascade' }),
    url: text('url').notNull(),
    state: text('state').$type<CallbackState>().notNull().default('pending'),
    /** The event of the job's end; null while the job is open. A retried job gets a new one. */
    eventId: bigint('event_id', { mode: 'number' }),
    /** Tries for this event. */
    tries: integer('tries').notNull().default(0),
    lastStatus: integer('last_status'),
    lastError: text('last_error'),
    /** Null: not due. During a try: the end of the lease. */
    nextTryAt: time('next_try_at'),
    deliveredAt: time('delivered_at'),
  },
  table => [
    check('job_callback_state', sql`${table.state} in ('pending', 'delivered', 'failed')`),
    index('job_callback_due').on(table.nextTryAt).where(sql`${table.nextTryAt} is not null`),
    index('job_callback_failed').on(table.jobId).where(sql`${table.state} = 'failed'`),
  ],
);

/** In plain text, because signing needs them. A stolen secret can deceive a receiver, but gives no access to the service. */
export const callbackSecretTable = pgTable(
  'callback_secret',
  {
    clientId: text('client_id').notNull(),
    secret: text('secret').notNull(),
    createdAt: time('created_at').notNull().defaultNow(),
    /** Null: the current secret. A replaced secret signs until then. */
    expiresAt: time('expires_at'),
  },
  table => [
    primaryKey({ columns: [table.clientId, table.secret] }),
    uniqueIndex('callback_secret_current').on(table.clientId).where(sql`${table.expiresAt} is null`),
  ],
);
