/** The `Idempotency-Key`s that clients sent, what they were sent with, and what was answered first. */
import { index, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { time } from '../postgres/schema/time.ts';

export const idempotencyKeyTable = pgTable(
  'idempotency_key',
  {
    clientId: text('client_id').notNull(),
    operationId: text('operation_id').notNull(),
    key: text('key').notNull(),
    /** SHA-256 of the request: another one under the same key is refused. */
    fingerprint: text('fingerprint').notNull(),
    /** The request that works on the answer; one whose claim was taken over writes nothing. */
    claimId: uuid('claim_id').notNull(),
    /** From then on a claim without an answer is taken for that of a process that died. */
    claimedUntil: time('claimed_until').notNull(),
    /** The id of the job that the request starts, chosen with the claim: a repeat after a crash starts no second one. */
    jobId: text('job_id'),
    /** Null until the first answer. */
    status: integer('status'),
    headers: jsonb('headers').$type<Record<string, string>>(),
    /** Null too where the answer held a secret. */
    body: jsonb('body').$type<unknown>(),
    expiresAt: time('expires_at').notNull(),
  },
  table => [
    primaryKey({ columns: [table.clientId, table.operationId, table.key] }),
    index('idempotency_key_expiry').on(table.expiresAt),
  ],
);
