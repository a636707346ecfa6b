/** Remembers which activity was told to which lead, so that nothing is told twice. */
import { and, eq, sql } from 'drizzle-orm';
import { activityNoteTable as table } from '../../core/domain/leads/schema.ts';
import type { Database } from '../../core/postgres/client.ts';

export type ActivityNote = Omit<typeof table.$inferSelect, 'createdAt'>;

type NoteKey = Pick<ActivityNote, 'day' | 'leadId' | 'part'>;

export type ActivityNotes = ReturnType<typeof createActivityNotes>;

const rowsAtOnce = 500;

export function createActivityNotes(database: Database) {
  return {
    /** Those of a day, in their order. @param day YYYY-MM-DD */
    ofDay: (day: string): Promise<ActivityNote[]> =>
      database.select().from(table).where(eq(table.day, day)).orderBy(table.leadId, table.part),

    /** Kept before anything is written to the CRM: whoever goes on after a kill writes exactly these. */
    async plan(notes: readonly Omit<ActivityNote, 'writtenAt'>[]): Promise<void> {
      await database.transaction(async transaction => {
        for (let from = 0; from < notes.length; from += rowsAtOnce)
          await transaction.insert(table).values(notes.slice(from, from + rowsAtOnce));
      });
    },

    async written({ jobId, ...note }: NoteKey & { jobId: string }): Promise<void> {
      await database.update(table).set({ writtenAt: sql`now()`, jobId }).where(isNote(note));
    },

    /** The CRM refuses it, so that what it tells of is free again. */
    async dropped(note: NoteKey): Promise<void> {
      await database.delete(table).where(isNote(note));
    },
  };
}

const isNote = ({ day, leadId, part }: NoteKey) =>
  and(eq(table.day, day), eq(table.leadId, leadId), eq(table.part, part));
