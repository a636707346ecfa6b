/** The notes about people's activity that were written to leads, and which entries of the log each of them tells of. */
import { date, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { time } from '../../postgres/schema.ts';

export const activityNoteTable = pgTable(
  'activity_note',
  {
    /** In Asia/Dubai. */
    day: date('day', { mode: 'string' }).notNull(),
    leadId: integer('lead_id').notNull(),
    /** 1 for the day's first note; further ones tell what arrived later. */
    part: integer('part').notNull(),
    activityIds: text('activity_ids').array().notNull(),
    text: text('text').notNull(),
    /** The job that wrote it, or is at it. */
    jobId: text('job_id').notNull(),
    createdAt: time('created_at').notNull().defaultNow(),
    /** Null until the CRM surely has it. */
    writtenAt: time('written_at'),
  },
  table => [primaryKey({ columns: [table.day, table.leadId, table.part] })],
);
