/** Starts the jobs of schedules: those that are due, and those that a client or an operator asks for. */
import type { JobService } from '../jobs/service.ts';
import type { Actor } from '../runtime/actor.ts';
import type { Logger } from '../telemetry/logger.ts';
import { inSpan } from '../telemetry/spans.ts';
import { type Decision, type DueRun, decideDueRuns } from './misfire-policy.ts';
import type { RecordedRun, RunEntry, ScheduleRuns, ScheduleState } from './runs.ts';
import { dueTimes, type Schedule, schedulerClientId } from './schedule.ts';
import type { RunOutcome } from './schema.ts';

export type ScheduleService = ReturnType<typeof openScheduleService>;

/** Older due times are neither caught up nor recorded. */
const lookBackMs = 7 * 24 * 3_600_000;
/** Due times recorded in one call, the newest first; older ones are dropped. */
const maxDueTimes = 200;

const outcomes: Record<Decision, RunOutcome> = {
  run: 'fired',
  'catch-up': 'missed-fired',
  'wait-and-catch-up': 'missed-fired',
  skip: 'missed-skipped',
  'skip-paused': 'skipped-paused',
};
const startsJob = (decision: Decision): boolean => decision !== 'skip' && decision !== 'skip-paused';

export function openScheduleService({ runs, jobs, logger }: { runs: ScheduleRuns; jobs: JobService; logger: Logger }) {
  const startJob = (schedule: Schedule, entry: Omit<RunEntry, 'schedule'>, clientId: string) =>
    jobs.submitWith(schedule.job, { payload: schedule.payload, clientId }, job =>
      runs.record({ ...entry, schedule: schedule.name, job }),
    );

  /** @returns false when this due time and those after it must wait for the previous job */
  const run = async (schedule: Schedule, { dueAt, decision }: DueRun): Promise<boolean> => {
    const entry = { dueAt, outcome: outcomes[decision], waits: decision === 'wait-and-catch-up' };
    const recorded = startsJob(decision)
      ? await inSpan(
          `schedule ${schedule.name}`,
          { role: 'internal', attributes: { 'portal.schedule': schedule.name } },
          () => startJob(schedule, entry, schedulerClientId),
        )
      : await runs.record({ ...entry, schedule: schedule.name });
    logRun(schedule, dueAt, recorded, logger);
    return recorded.outcome !== 'waits';
  };

  return {
    /** Records a run for every due time up to `now` that has none; any number of processes may call it at once. */
    async runDue(schedule: Schedule, { settledUntil, pausedAt }: ScheduleState, now: Date): Promise<void> {
      const after = new Date(Math.max(settledUntil.getTime(), now.getTime() - lookBackMs));
      const due = dueTimes(schedule).between(after, now, maxDueTimes);
      const policy = { missed: schedule.missed, isPaused: pausedAt !== null, now };
      for (const dueRun of decideDueRuns(due, policy)) {
        if (!(await run(schedule, dueRun))) return;
      }
    },

    /** Starts the schedule's job now; returns the open job of the schedule instead when there is one. */
    async runNow(schedule: Schedule, askedBy: Actor) {
      // An operator is no API client, so the job belongs to the scheduler.
      const clientId = askedBy.kind === 'operator' ? schedulerClientId : askedBy.name;
      let recorded: RecordedRun;
      // A second request in the same millisecond is recorded one millisecond later.
      do recorded = await startJob(schedule, { dueAt: new Date(), outcome: 'fired', askedBy }, clientId);
      while (recorded.outcome === 'taken');
      const { job, outcome } = recorded;
      if (!job) throw new Error(`the schedule ${schedule.name} started no job`);
      return { job, isExisting: outcome !== 'fired' };
    },
  };
}

function logRun({ name }: Schedule, dueAt: Date, { outcome, job }: RecordedRun, logger: Logger): void {
  if (outcome === 'taken' || outcome === 'waits') return;
  const facts = { schedule: name, dueAt: dueAt.toISOString(), outcome, jobId: job?.id };
  if (outcome === 'fired') logger.info(facts, 'scheduled job started');
  else logger.warn(facts, messages[outcome]);
}

const messages: Record<Exclude<RunOutcome, 'fired'>, string> = {
  'missed-fired': 'no scheduler ran at the due time; the job is started now',
  'missed-skipped': 'no scheduler ran at the due time; the run is not caught up',
  'skipped-overlap': 'the scheduled run was skipped: the previous job is still open',
  'skipped-paused': 'the scheduled run was skipped: the schedule is paused',
};
