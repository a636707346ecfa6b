/** Stores which log entries each activity note covers, and writes the notes to the CRM. */
import { and, eq, sql } from 'drizzle-orm';
import { commentOnce, type LeadServices } from '../../core/domain/leads/create-lead.ts';
import { activityNoteTable as table } from '../../core/domain/leads/schema.ts';
import { UpstreamError } from '../../core/integrations/kit/upstream-error.ts';
import type { Database } from '../../core/postgres/client.ts';
import { mapConcurrent } from '../../core/runtime/map-concurrent.ts';
import { type RowContext, unlessRejected } from '../../core/sync/rejected-row.ts';
import { chunks } from '../../core/values/chunks.ts';
import { noteTitle } from './visits.ts';

export type ActivityNote = Omit<typeof table.$inferSelect, 'createdAt'>;
export type PlannedNote = Omit<ActivityNote, 'writtenAt'>;

type NoteKey = Pick<ActivityNote, 'day' | 'leadId' | 'part'>;

const rowsPerInsert = 500;

export function createActivityNotes(database: Database) {
  return {
    /** Ordered by lead and part. @param day YYYY-MM-DD */
    ofDay: (day: string): Promise<ActivityNote[]> =>
      database.select().from(table).where(eq(table.day, day)).orderBy(table.leadId, table.part),

    /** Stores notes before they are written to the CRM: a run after a kill writes exactly these. */
    async plan(notes: readonly PlannedNote[]): Promise<void> {
      await database.transaction(async transaction => {
        for (const some of chunks(notes, rowsPerInsert)) await transaction.insert(table).values(some);
      });
    },

    async markWritten({ jobId, ...note }: NoteKey & { jobId: string }): Promise<void> {
      await database.update(table).set({ writtenAt: sql`now()`, jobId }).where(isNote(note));
    },

    /** Deletes a note that the CRM rejected, so that a later run can note its log entries. */
    async drop(note: NoteKey): Promise<void> {
      await database.delete(table).where(isNote(note));
    },
  };
}

const isNote = ({ day, leadId, part }: NoteKey) =>
  and(eq(table.day, day), eq(table.leadId, leadId), eq(table.part, part));

export interface NoteContext extends RowContext, LeadServices {
  notes: ReturnType<typeof createActivityNotes>;
  jobId: string;
}

/** Four at once; the CRM's rate limit sets the pace. */
export const writeNotes = (context: NoteContext, notes: readonly PlannedNote[]): Promise<unknown> =>
  mapConcurrent(notes, { limit: 4, signal: context.signal }, note => writeNote(context, note));

/** A rejected note is reported and does not stop the run. */
async function writeNote(context: NoteContext, note: PlannedNote): Promise<void> {
  const { notes, jobId } = context;
  const { day, leadId, part, text } = note;
  const write = async (): Promise<void> => {
    const title = noteTitle(day, part);
    const isSame = (comment: string) => comment.split(/\r?\n/)[0]?.trim() === title;
    await commentOnce(context, `activity-note:${day}:${leadId}:${part}`, { leadId, text }, isSame);
    await notes.markWritten({ ...note, jobId });
  };
  await unlessRejected(`lead ${leadId}, ${day}`, context, write, async error => {
    // After an upstream error the note may have been written: the next run looks it up.
    if (!(error instanceof UpstreamError)) await notes.drop(note);
  });
}
