/** Tables that belong to no subject of the domain, and the column type for times. */
import { bigint, index, jsonb, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import type { Actor } from '../runtime/actor.ts';

/** Millisecond precision, as in JavaScript: a time that was read compares equal when sent back. */
export const time = (name: string) => timestamp(name, { withTimezone: true, mode: 'date', precision: 3 });

/** The audit trail: who did what, when. A trigger rejects changes and deletions. */
export const auditTable = pgTable(
  'audit_entry',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    at: time('at').notNull().defaultNow(),
    actorKind: text('actor_kind').$type<Actor['kind']>().notNull(),
    actor: text('actor').notNull(),
    action: text('action').notNull(),
    target: text('target').notNull(),
    before: jsonb('before').$type<unknown>(),
    after: jsonb('after').$type<unknown>(),
    requestId: text('request_id'),
  },
  table => [index('audit_entry_of_target').on(table.target, table.id)],
);

/** Secrets that the service generates and all its processes share. */
export const serviceSecretTable = pgTable('service_secret', {
  name: text('name').primaryKey(),
  secret: text('secret').notNull(),
  createdAt: time('created_at').notNull().defaultNow(),
});
