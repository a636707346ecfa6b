/** Writes a day's notes to the leads; done again after a kill it ends the same. */
import { z } from 'zod';
import type { Effects } from '../../core/effects/ledger.ts';
import type { Crm } from '../../core/integrations/crm/client.ts';
import { UpstreamError } from '../../core/integrations/kit/upstream-error.ts';
import type { JobContext } from '../../core/jobs/handler.ts';
import { asServiceError } from '../../core/runtime/errors.ts';
import type { ReportWriter } from '../../core/sync/report.ts';
import type { ActivityNote, ActivityNotes } from './notes.ts';
import { noteTitle } from './visits.ts';

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
      lookUp: async () => {
        const title = noteTitle(day, part);
        const comments = await crm.leads.comments(leadId);
        const found = comments.find(comment => comment.text.split(/\r?\n/)[0]?.trim() === title);
        return found && { commentId: found.id };
      },
      act: async () => ({ commentId: await crm.leads.addComment(leadId, text) }),
    });
    await notes.written({ ...note, jobId });
  } catch (thrown) {
    signal.throwIfAborted();
    const error = asServiceError(thrown);
    if (error.passing || error.code === 'internal-error') throw thrown;
    // What the CRM has refused is told anew by the next run; what may have got through is looked up by it.
    if (!(error instanceof UpstreamError)) await notes.dropped(note);
    report.count('failed');
    report.row({ key: `lead ${leadId}, ${day}`, outcome: 'failed', reason: error.message });
  }
}
