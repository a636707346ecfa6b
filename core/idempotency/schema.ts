/** The `Idempotency-Key`s of clients, with the request and its first response. */
import { index, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { time } from '../postgres/schema.ts';

export const idempotencyKeyTable = pgTable(
  'idempotency_key',
  {
    clientId: text('client_id').notNull(),
    operationId: text('operation_id').notNull(),
    key: text('key').notNull(),
    /** SHA-256 of the request: another request with the same key is rejected. */
    fingerprint: text('fingerprint').notNull(),
    /** Id of the lease; a request that lost its lease writes nothing. */
    claimId: uuid('claim_id').notNull(),
    /** End of the lease: afterwards another request may take it over. */
    claimedUntil: time('claimed_until').notNull(),
    /** Id of the job that the request starts, chosen with the lease: a retry after a crash starts no second job. */
    jobId: text('job_id'),
    /** Null until the first response. */
    status: integer('status'),
    headers: jsonb('headers').$type<Record<string, string>>(),
    /** Also null when the response contained a secret. */
    body: jsonb('body').$type<unknown>(),
    expiresAt: time('expires_at').notNull(),
  },
  table => [
    primaryKey({ columns: [table.clientId, table.operationId, table.key] }),
    index('idempotency_key_expiry').on(table.expiresAt),
  ],
);
