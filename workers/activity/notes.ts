/** Remembers which activity was told to which lead, so that nothing is told twice. */
import { and, eq, sql } from 'drizzle-orm';
import { z } from 'zod';
import { activityNoteTable as table } from '../../core/domain/leads/schema.ts';
import type { Effects } from '../../core/effects/ledger.ts';
import type { Crm } from '../../core/integrations/crm/system.ts';
import { UpstreamError } from '../../core/integrations/kit/upstream-error.ts';
import type { JobContext } from '../../core/jobs/handler.ts';
import type { Database } from '../../core/postgres/client.ts';
import { asServiceError } from '../../core/runtime/errors.ts';
import type { ReportWriter } from '../../core/sync/report.ts';
import { noteTitle } from './visits.ts';

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

export interface NoteParts {
  crm: Crm;
  effects: Effects;
  notes: ActivityNotes;
}

/** Notes under way at once; the CRM's budget sets the pace. */
const lanes = 4;

export async function writeNotes(
  parts: NoteParts,
  notes: readonly Omit<ActivityNote, 'writtenAt'>[],
  report: ReportWriter,
  context: JobContext,
): Promise<void> {
  const queue = notes.values();
  const lane = async () => {
    for (const note of queue) {
      context.signal.throwIfAborted();
      await writeNote(parts, note, report, context);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/** What one lead meets with stops no other; a CRM that is down stops the run. */
async function writeNote(
  { crm, effects, notes }: NoteParts,
  note: Omit<ActivityNote, 'writtenAt'>,
  report: ReportWriter,
  { jobId, signal }: JobContext,
): Promise<void> {
  const { day, leadId, part, text } = note;
  try {
    await effects.once({
      key: `activity-note:${day}:${leadId}:${part}`,
      kind: 'lead-comment',
      system: 'crm',
      result: z.object({ commentId: z.int() }),
      find: async () => {
        const title = noteTitle(day, part);
        const comments = await crm.leads.comments(leadId);
        const found = comments.find(comment => comment.text.split(/\r?\n/)[0]?.trim() === title);
        return found && { commentId: found.id };
      },
      execute: async () => ({ commentId: await crm.leads.addComment(leadId, text) }),
    });
    await notes.written({ ...note, jobId });
  } catch (thrown) {
    signal.throwIfAborted();
    const error = asServiceError(thrown);
    if (error.transient || error.code === 'internal-error') throw thrown;
    // What the CRM has refused is told anew by the next run; what may have got through is looked up by it.
    if (!(error instanceof UpstreamError)) await notes.dropped(note);
    report.count('failed');
    report.row({ key: `lead ${leadId}, ${day}`, outcome: 'failed', reason: error.message });
  }
}
