/** Schedules in requests and responses. */
import { z } from 'zod';
import { missedPolicies } from '../../../core/jobs/contract.ts';
import { JobState } from '../../../core/jobs/record.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { OffReason, offReasonOf } from '../../../core/schedules/config.ts';
import type { ScheduleRun, ScheduleState } from '../../../core/schedules/runs.ts';
import { dueTimes, type Schedule } from '../../../core/schedules/schedule.ts';
import { RunOutcome } from '../../../core/schedules/schema.ts';
import type { Call } from '../../http/operation.ts';

const time = z.iso.datetime();
const jobId = 'crm-acquisition_019c1321-7f00-7d6c-9a51-3f2f6f0a7b11';

const runExample = {
  dueAt: '2026-01-31T08:00:00.000Z',
  outcome: 'fired',
  jobId,
  jobState: 'succeeded',
  manual: false,
  by: 'scheduler',
};
export const scheduleExample = {
  name: 'deals-acquisition',
  summary: 'Acquires the deals that have changed.',
  kind: 'crm-acquisition',
  expression: '0 * * * *',
  timeZone: 'Asia/Dubai',
  missed: 'latest',
  paused: false,
  pausedAt: null,
  pausedBy: null,
  off: false,
  offReason: null,
  lastFire: runExample,
  nextRunAt: '2026-01-31T09:00:00.000Z',
  links: { self: '/v2/schedules/deals-acquisition', lastJob: `/v2/jobs/${jobId}` },
};

export const RunResource = z
  .object({
    dueAt: time.describe('Due time, or time of the request.'),
    outcome: RunOutcome,
    jobId: z.string().nullable().describe('The job that it started, or the one that had not ended.'),
    jobState: JobState.nullable().describe('Current state of that job.'),
    manual: z.boolean().describe('True for a run requested with `POST /schedules/{name}/run`.'),
    by: z.string().describe('Client id, operator login, or `scheduler`.'),
  })
  .meta({ id: 'ScheduleFire', examples: [runExample] });

export const ScheduleResource = z
  .object({
    name: z.string().describe('The schedule’s name.'),
    summary: z.string().describe('What a run does.'),
    kind: z.string().describe('Kind of its jobs.'),
    expression: z
      .string()
      .describe('Cron: minute, hour, day of month, month, day of week; six fields begin with the second.'),
    timeZone: z.string().describe('IANA time zone of the expression.'),
    missed: z
      .enum(missedPolicies)
      .describe(
        'Which runs that were missed while no scheduler was running are caught up: the latest, all (one after the ' +
          'other, at most the latest 24), or none.',
      ),
    paused: z.boolean().describe('Whether it is paused.'),
    pausedAt: time.nullable().describe('When it was paused.'),
    pausedBy: z.string().nullable().describe('Client id or operator login.'),
    off: z.boolean().describe('True when it does not run by the clock. It can still be run manually.'),
    offReason: OffReason.nullable().describe(
      '`SCHEDULES_OFF`: that variable names it. `not configured`: an outside system that it needs is not configured.',
    ),
    lastFire: RunResource.nullable().describe('Its latest run; null before the first.'),
    nextRunAt: time.nullable().describe('Null while the schedule is paused or off.'),
    links: z
      .object({ self: z.string().describe('The schedule.'), lastJob: z.string().optional().describe('Its last job.') })
      .describe('Addresses of the schedule and of its last job.'),
  })
  .meta({ id: 'Schedule', examples: [scheduleExample] });

export const ScheduleParams = z.object({
  name: z
    .string()
    .max(100)
    .describe('The schedule’s name.')
    .meta({ examples: [scheduleExample.name] }),
});

export const runResource = (run: ScheduleRun): z.infer<typeof RunResource> => ({
  ...run,
  dueAt: run.dueAt.toISOString(),
});

export function scheduleResource(
  schedule: Schedule,
  { state, lastRun }: { state: ScheduleState | undefined; lastRun: ScheduleRun | undefined },
  { services: { config } }: Call,
): z.infer<typeof ScheduleResource> {
  const { name, summary, job, cron: expression, timeZone, missed } = schedule;
  const paused = state?.pausedAt != null;
  const offReason = offReasonOf(schedule, config) ?? null;
  return {
    name,
    summary,
    kind: job.kind,
    expression,
    timeZone,
    missed,
    paused,
    pausedAt: state?.pausedAt?.toISOString() ?? null,
    pausedBy: state?.pausedBy ?? null,
    off: offReason !== null,
    offReason,
    lastFire: lastRun ? runResource(lastRun) : null,
    nextRunAt: paused || offReason ? null : dueTimes(schedule).next(new Date()).toISOString(),
    links: {
      self: `${config.BASE_PATH}/schedules/${name}`,
      ...(lastRun?.jobId && { lastJob: `${config.BASE_PATH}/jobs/${lastRun.jobId}` }),
    },
  };
}

/** @throws ServiceError not-found */
export function findSchedule(name: string, { services }: Call): Schedule {
  const schedule = services.schedules.get(name);
  if (schedule) return schedule;
  throw new ServiceError('not-found', `There is no schedule ${name}; GET /schedules lists them.`);
}

export async function currentSchedule(schedule: Schedule, call: Call): Promise<z.infer<typeof ScheduleResource>> {
  const { scheduleRuns } = call.services;
  const [states, [lastRun]] = await Promise.all([scheduleRuns.states(), scheduleRuns.history(schedule.name, 1)]);
  return scheduleResource(schedule, { state: states.get(schedule.name), lastRun }, call);
}
