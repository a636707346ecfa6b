/** Handles `activity` jobs day by day, with a checkpoint after each day. */
import { z } from 'zod';
import activityLogSystem from '../../core/integrations/activity-log/system.ts';
import crmSystem from '../../core/integrations/crm/system.ts';
import { callsMade } from '../../core/integrations/kit/call-context.ts';
import { defineHandler, type JobContext } from '../../core/jobs/handler.ts';
import { type ReportWriter, SyncReport, startReport } from '../../core/sync/report.ts';
import { addDays, countDays, dubaiDayOf } from '../../core/values/dubai-time.ts';
import type { WorkerServices } from '../services.ts';
import job from './contract.ts';
import { openLeadMatcher } from './match-leads.ts';
import { createActivityNotes } from './notes.ts';
import { type DayContext, syncDay } from './sync-day.ts';

type Payload = z.output<typeof job.payload>;

/** Days before today that the schedule covers; entries that arrive later need an explicit `from` and `to`. */
const defaultDays = 3;

const countNames = ['read', 'matched', 'created', 'skipped', 'failed'] as const;

const DayCursor = z.object({
  from: z.string(),
  to: z.string(),
  next: z.string(),
  /** The report so far. */
  told: SyncReport.pick({
    read: true,
    matched: true,
    created: true,
    skipped: true,
    failed: true,
    rows: true,
  }),
});

export default defineHandler({
  job,
  config: z.object({}),
  async open(_, services: WorkerServices) {
    return {
      handle: async (payload, context) => ({ result: await syncActivity(services, payload, context) }),
    };
  },
});

async function syncActivity(
  { database, systems, effects }: WorkerServices,
  payload: Payload,
  { jobId, signal, checkpoint, progress }: JobContext,
) {
  const report = startReport(payload);
  const { from, to, next } = await resume(payload, report, checkpoint);
  const crm = crmSystem.client(systems);
  const context: DayContext = {
    crm,
    effects,
    report,
    signal,
    jobId,
    dryRun: payload.dryRun,
    notes: createActivityNotes(database),
    log: activityLogSystem.client(systems),
    leads: openLeadMatcher(crm),
  };
  const days = countDays(from, to);
  for (let day = next; day <= to; day = addDays(day, 1)) {
    signal.throwIfAborted();
    const done = countDays(from, day) - 1;
    progress('days', done, days, (100 * done) / days);
    await syncDay(context, day);
    await checkpoint.write({ from, to, next: addDays(day, 1), told: report.finish(0) });
  }
  return { ...report.finish(callsMade()), from, to };
}

/** Restores the report of an earlier run; stores the days of a new job, which stay the same past midnight. */
async function resume(
  { from, to }: Payload,
  report: ReportWriter,
  checkpoint: JobContext['checkpoint'],
): Promise<Pick<z.infer<typeof DayCursor>, 'from' | 'to' | 'next'>> {
  const cursor = DayCursor.safeParse(await checkpoint.read()).data;
  if (cursor) {
    for (const name of countNames) report.count(name, cursor.told[name]);
    for (const row of cursor.told.rows) report.row(row);
    return cursor;
  }
  const today = dubaiDayOf(new Date());
  const first = from ?? addDays(today, -defaultDays);
  const days = { from: first, to: to ?? addDays(today, -1), next: first };
  await checkpoint.write({ ...days, told: startReport({ dryRun: false }).finish(0) });
  return days;
}
