/** The audit trail: who did what to what, and when. A trigger refuses to change or remove any of it. */
import { bigint, index, jsonb, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import type { Actor } from '../../runtime/actor.ts';

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
