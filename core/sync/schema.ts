/** Tables: the sync state of each mirror, and rows staged by an unfinished complete read. */
import { integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { time } from '../postgres/schema.ts';

/** A row of the source in an unexpected form. */
export interface UnreadableRow {
  id: number;
  /** Names the fields, without their values. */
  reason: string;
}

export const syncStateTable = pgTable('sync_state', {
  /** The mirrored list, such as `crm-deals`. */
  kind: text('kind').primaryKey(),
  /** Rows of the last complete read. */
  read: integer('read').notNull(),
  /** Changes after this time are not in the mirror yet; null: the next read is a complete one. */
  changedSince: time('changed_since'),
  /** For a source that is read by a cursor instead of a time. */
  cursor: jsonb('cursor').$type<unknown>(),
  /** Start of the last applied read. */
  asOf: time('as_of').notNull(),
  /** Rows in an unexpected form, until the next complete read. */
  unreadable: jsonb('unreadable').$type<UnreadableRow[]>().notNull().default([]),
  /** Start of the last applied complete read. */
  fullAt: time('full_at'),
});

/** Rows of an unfinished complete read: readers see the old state until all rows are there. */
export const stagedRowTable = pgTable(
  'staged_row',
  {
    /** The id of the reading job. */
    run: text('run').notNull(),
    id: integer('id').notNull(),
    row: jsonb('row').$type<unknown>().notNull(),
  },
  table => [primaryKey({ columns: [table.run, table.id] })],
);
