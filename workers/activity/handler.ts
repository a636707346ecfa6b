/** Works on `activity` jobs, day by day: read, find the leads, plan the notes, write them, keep the place. */
import { z } from 'zod';
import type { Activity, ActivityLog } from '../../core/integrations/activity-log/system.ts';
import activityLogSystem from '../../core/integrations/activity-log/system.ts';
import crmSystem from '../../core/integrations/crm/system.ts';
import { callsMade } from '../../core/integrations/kit/call-context.ts';
import { defineHandler, type JobContext } from '../../core/jobs/handler.ts';
import { type ReportWriter, SyncReport, startReport } from '../../core/sync/report.ts';
import { addDays, countDays, dubaiDay, dubaiDayOf } from '../../core/values/dubai-time.ts';
import type { WorkerServices } from '../services.ts';
import job from './contract.ts';
import { type LeadMatcher, openLeadMatcher } from './match-leads.ts';
import { type ActivityNote, createActivityNotes, type NoteParts, writeNotes } from './notes.ts';
import { noteText, visitsOf } from './visits.ts';

/** Entries that arrive later than this are told when somebody asks for their days. */
const daysLate = 3;

export default defineHandler({
  job,
  config: z.object({}),
  async open(_, services: WorkerServices) {
    return {
      handle: async (payload, context) => ({ result: await syncActivity(services, payload, context) }),
      close: async () => undefined,
    };
  },
});

interface DayParts extends NoteParts {
  log: ActivityLog;
  leads: LeadMatcher;
}

async function syncActivity(
  { database, systems, effects }: WorkerServices,
  payload: z.output<typeof job.payload>,
  context: JobContext,
) {
  const report = startReport({ dryRun: false });
  const { from, to, next } = await placeOf(payload, report, context);
  const crm = crmSystem.client(systems);
  const parts: DayParts = {
    crm,
    effects,
    notes: createActivityNotes(database),
    log: activityLogSystem.client(systems),
    leads: openLeadMatcher(crm),
  };
  const days = countDays(from, to);
  for (let day = next; day <= to; day = addDays(day, 1)) {
    context.signal.throwIfAborted();
    const done = countDays(from, day) - 1;
    context.progress('days', done, days, (100 * done) / days);
    await syncDay(parts, day, report, context);
    await context.checkpoint.write({ from, to, next: addDays(day, 1), told: report.finish(0) });
  }
  return { ...report.finish(callsMade()), from, to };
}

const Place = z.object({
  from: z.string(),
  to: z.string(),
  next: z.string(),
  told: SyncReport.pick({
    read: true,
    matched: true,
    created: true,
    skipped: true,
    failed: true,
    rows: true,
  }),
});

/** Where an earlier run got to, with what it has told; the days of a run stay the same past midnight. */
async function placeOf(
  { from, to }: z.output<typeof job.payload>,
  report: ReportWriter,
  { checkpoint }: JobContext,
) {
  const place = Place.safeParse(await checkpoint.read()).data;
  if (!place) {
    const today = dubaiDayOf(new Date());
    const first = from ?? addDays(today, -daysLate);
    const days = { from: first, to: to ?? addDays(today, -1), next: first };
    await checkpoint.write({ ...days, told: startReport({ dryRun: false }).finish(0) });
    return days;
  }
  const { rows, ...counts } = place.told;
  for (const what of ['read', 'matched', 'created', 'skipped', 'failed'] as const)
    report.count(what, counts[what]);
  for (const row of rows) report.row(row);
  return place;
}

/** Counts at its end only: a day that was broken off is counted once. */
async function syncDay(
  parts: DayParts,
  day: string,
  report: ReportWriter,
  context: JobContext,
): Promise<void> {
  const { notes, log } = parts;
  const before = await notes.ofDay(day);
  await writeNotes(
    parts,
    before.filter(({ writtenAt }) => writtenAt === null),
    report,
    context,
  );

  const told = new Set(before.flatMap(({ activityIds }) => activityIds));
  const fresh: Activity[] = [];
  let read = 0;
  for await (const page of log.read(dubaiDay(day))) {
    context.signal.throwIfAborted();
    read += page.length;
    fresh.push(...page.filter(({ id }) => !told.has(id)));
  }
  const { planned, leftOut } = await planNotes(parts, { day, fresh, before }, context);
  await notes.plan(planned);
  await writeNotes(parts, planned, report, context);

  const written = (await notes.ofDay(day)).filter(({ jobId }) => jobId === context.jobId);
  const ours = new Set(written.flatMap(({ activityIds }) => activityIds));
  report.count('read', read);
  report.count('created', written.length);
  report.count('matched', [...told].filter(id => !ours.has(id)).length);
  report.count('skipped', leftOut.entries);
  if (leftOut.entries > 0) report.row({ key: day, outcome: 'skipped', reason: leftOut.reason });
}

async function planNotes(
  { leads }: DayParts,
  { day, fresh, before }: { day: string; fresh: readonly Activity[]; before: readonly ActivityNote[] },
  { jobId }: JobContext,
) {
  const { visits, staff, nameless } = visitsOf(fresh);
  const leadIds = await leads.match(visits.map(({ visitor }) => visitor));
  const ofLead = new Map<number, Activity[]>();
  let [strangers, strange] = [0, 0];
  for (const { visitor, activities } of visits) {
    const leadId = leadIds.get(visitor.key);
    if (leadId === undefined) {
      strangers += 1;
      strange += activities.length;
    } else ofLead.set(leadId, [...(ofLead.get(leadId) ?? []), ...activities]);
  }
  const planned = [...ofLead].map(([leadId, activities]) => {
    const part = 1 + Math.max(0, ...before.filter(note => note.leadId === leadId).map(note => note.part));
    const text = noteText(day, part, activities);
    return { day, leadId, part, text, jobId, activityIds: activities.map(({ id }) => id) };
  });
  const reason = `${strange} entries of ${strangers} people who are no lead, ${staff} of staff, ${nameless} without e-mail and phone.`;
  return { planned, leftOut: { entries: strange + staff + nameless, reason } };
}
