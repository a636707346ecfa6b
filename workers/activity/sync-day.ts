/** Writes the activity of one day as notes to the leads. */
import type { Activity, ActivityLog } from '../../core/integrations/activity-log/system.ts';
import { dubaiDay } from '../../core/values/dubai-time.ts';
import type { LeadMatcher } from './match-leads.ts';
import { type ActivityNote, type NoteContext, type PlannedNote, writeNotes } from './notes.ts';
import { noteText, visitsOf } from './visits.ts';

export interface DayContext extends NoteContext {
  log: ActivityLog;
  leads: LeadMatcher;
  dryRun: boolean;
}

/** Counts at the end only, so that an interrupted day is counted once. */
export async function syncDay(context: DayContext, day: string): Promise<void> {
  const { notes, report, jobId, dryRun } = context;
  const before = await notes.ofDay(day);
  const unwritten = before.filter(({ writtenAt }) => writtenAt === null);
  if (!dryRun) await writeNotes(context, unwritten);

  const noted = new Set(before.flatMap(({ activityIds }) => activityIds));
  const { read, fresh } = await readDay(context, day, noted);
  const { planned, leftOut } = await planNotes(context, { day, fresh, before });
  if (!dryRun) {
    await notes.plan(planned);
    await writeNotes(context, planned);
  }
  const written = dryRun ? [...unwritten, ...planned] : (await notes.ofDay(day)).filter(note => note.jobId === jobId);
  const ours = new Set(written.flatMap(({ activityIds }) => activityIds));
  report.count('read', read);
  report.count('created', written.length);
  report.count('matched', [...noted].filter(id => !ours.has(id)).length);
  report.count('skipped', leftOut.entries);
  if (leftOut.entries > 0) report.row({ key: day, outcome: 'skipped', reason: leftOut.reason });
}

/** @returns the number of entries, and those not noted yet */
async function readDay({ log, signal }: DayContext, day: string, noted: ReadonlySet<string>) {
  const fresh: Activity[] = [];
  let read = 0;
  for await (const page of log.read(dubaiDay(day))) {
    signal.throwIfAborted();
    read += page.length;
    fresh.push(...page.filter(({ id }) => !noted.has(id)));
  }
  return { read, fresh };
}

async function planNotes(
  { leads, jobId }: DayContext,
  { day, fresh, before }: { day: string; fresh: readonly Activity[]; before: readonly ActivityNote[] },
) {
  const { visits, staff, anonymous } = visitsOf(fresh);
  const leadIds = await leads.match(visits.map(({ visitor }) => visitor));
  const ofLead = new Map<number, Activity[]>();
  let [unmatchedVisitors, unmatchedEntries] = [0, 0];
  for (const { visitor, activities } of visits) {
    const leadId = leadIds.get(visitor.key);
    if (leadId === undefined) {
      unmatchedVisitors += 1;
      unmatchedEntries += activities.length;
    } else ofLead.set(leadId, [...(ofLead.get(leadId) ?? []), ...activities]);
  }
  const planned = [...ofLead].map(([leadId, activities]): PlannedNote => {
    const part = 1 + Math.max(0, ...before.filter(note => note.leadId === leadId).map(note => note.part));
    const text = noteText(day, part, activities);
    return { day, leadId, part, text, jobId, activityIds: activities.map(({ id }) => id) };
  });
  const reason = `${unmatchedEntries} entries of ${unmatchedVisitors} people without a lead, ${staff} of staff, ${anonymous} without e-mail and phone.`;
  return { planned, leftOut: { entries: unmatchedEntries + staff + anonymous, reason } };
}
