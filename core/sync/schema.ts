/** How far each local copy of an outside system's data has come. */
import { integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { time } from '../postgres/schema/time.ts';

export const syncStateTable = pgTable('sync_state', {
  /** What is copied, such as `crm-deals`. */
  kind: text('kind').primaryKey(),
  /** Rows of the last complete read. */
  read: integer('read').notNull(),
  /** Changes after this time are not in the copy yet; null: the next read is a complete one. */
  changedSince: time('changed_since'),
  /** For a source that is read on by a cursor. */
  cursor: jsonb('cursor').$type<unknown>(),
  /** When the last read that was carried out began. */
  asOf: time('as_of').notNull(),
  /** When the last complete one began. */
  fullAt: time('full_at'),
});

/** Rows of a reading that is not finished, so that readers see the old state until the new one is whole. */
export const acquiredRowTable = pgTable(
  'acquired_row',
  {
    /** The job that reads. */
    run: text('run').notNull(),
    id: integer('id').notNull(),
    row: jsonb('row').$type<unknown>().notNull(),
  },
  table => [primaryKey({ columns: [table.run, table.id] })],
);
