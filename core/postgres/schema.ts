/** The one way times are kept. */
import { bigint, index, jsonb, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import type { Actor } from '../runtime/actor.ts';

/** Milliseconds, as JavaScript keeps them: a time read and sent back still compares equal. */
export const time = (name: string) => timestamp(name, { withTimezone: true, mode: 'date', precision: 3 });

export const auditTable = pgTable(
  'audit_entry',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    at: timestamp('at', { withTimezone: true, mode: 'date', precision: 3 }).notNull().defaultNow(),
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

export const serviceSecretTable = pgTable('service_secret', {
  /** What it is for. */
  name: text('name').primaryKey(),
  secret: text('secret').notNull(),
  createdAt: timestamp('created_at', { withTimezone: true, mode: 'date', precision: 3 })
    .notNull()
    .defaultNow(),
});
