/** Table of the activity notes on leads, with the log entries that each note covers. */
import { date, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { time } from '../../postgres/schema.ts';

export const activityNoteTable = pgTable(
  'activity_note',
  {
    /** In Asia/Dubai. */
    day: date('day', { mode: 'string' }).notNull(),
    leadId: integer('lead_id').notNull(),
    /** 1 for the day's first note; further notes cover entries that arrived later. */
    part: integer('part').notNull(),
    activityIds: text('activity_ids').array().notNull(),
    text: text('text').notNull(),
    /** The job that wrote the note or is writing it. */
    jobId: text('job_id').notNull(),
    createdAt: time('created_at').notNull().defaultNow(),
    /** Null until the CRM has definitely stored the note. */
    writtenAt: time('written_at'),
  },
  table => [primaryKey({ columns: [table.day, table.leadId, table.part] })],
);
