/** A schedule as the API shows it, and how one is found by its name. */
import { z } from 'zod';
import { missedPolicies } from '../../../core/jobs/contract.ts';
import { JobState } from '../../../core/jobs/record.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { isOff } from '../../../core/schedules/config.ts';
import type { ScheduleRun, ScheduleState } from '../../../core/schedules/runs.ts';
import { dueTimes, type Schedule } from '../../../core/schedules/schedule.ts';
import { RunOutcome } from '../../../core/schedules/schema.ts';
import type { Answer, Call } from '../../http/operation.ts';

const time = z.iso.datetime();

const fireExample = {
  dueAt: '2026-01-31T08:00:00.000Z',
  outcome: 'fired',
  jobId: 'crm-acquisition_019c1321-7f00-7d6c-9a51-3f2f6f0a7b11',
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
  lastFire: fireExample,
  nextRunAt: '2026-01-31T09:00:00.000Z',
  links: {
    self: '/v2/schedules/deals-acquisition',
    lastJob: '/v2/jobs/crm-acquisition_019c1321-7f00-7d6c-9a51-3f2f6f0a7b11',
  },
};

export const FireResource = z
  .object({
    dueAt: time.describe('When it was due, or asked for.'),
    outcome: RunOutcome,
    jobId: z.string().nullable().describe('The job it made, or the one that stood in its way.'),
    jobState: JobState.nullable().describe('How that job stands now.'),
    manual: z.boolean().describe('Whether a client asked for it with `POST /schedules/{name}/run`.'),
    by: z.string().describe('That client’s id, the login of operations, or `scheduler`.'),
  })
  .meta({ id: 'ScheduleFire', examples: [fireExample] });

export const ScheduleResource = z
  .object({
    name: z.string(),
    summary: z.string(),
    kind: z.string().describe('The kind of the jobs that it makes.'),
    expression: z
      .string()
      .describe(
        'Cron: minute, hour, day of the month, month, day of the week; six fields begin with the second.',
      ),
    timeZone: z.string().describe('On whose clocks.'),
    missed: z
      .enum(missedPolicies)
      .describe(
        'Which of the fires that fell due while no scheduler ran are made up for: the newest, all of them (one after ' +
          'the other, the newest 24), or none.',
      ),
    paused: z.boolean(),
    pausedAt: time.nullable(),
    pausedBy: z.string().nullable().describe('The client’s id, or the login of operations.'),
    off: z.boolean().describe('Whether the configuration (SCHEDULES_OFF) keeps it from firing by itself.'),
    lastFire: FireResource.nullable(),
    nextRunAt: time.nullable().describe('Null while it is paused or off.'),
    links: z.object({ self: z.string(), lastJob: z.string().optional() }),
  })
  .meta({ id: 'Schedule', examples: [scheduleExample] });

export const ScheduleParams = z.object({
  name: z
    .string()
    .max(100)
    .describe('The schedule’s name.')
    .meta({ examples: [scheduleExample.name] }),
});

export const fireResource = (fire: ScheduleRun): z.infer<typeof FireResource> => ({
  ...fire,
  dueAt: fire.dueAt.toISOString(),
});

export function scheduleResource(
  schedule: Schedule,
  { state, lastFire }: { state: ScheduleState | undefined; lastFire: ScheduleRun | undefined },
  { services: { config } }: Call,
): z.infer<typeof ScheduleResource> {
  const paused = state?.pausedAt != null;
  const off = isOff(schedule.name, config);
  return {
    name: schedule.name,
    summary: schedule.summary,
    kind: schedule.job.kind,
    expression: schedule.cron,
    timeZone: schedule.timeZone,
    missed: schedule.missed,
    paused,
    pausedAt: state?.pausedAt?.toISOString() ?? null,
    pausedBy: state?.pausedBy ?? null,
    off,
    lastFire: lastFire ? fireResource(lastFire) : null,
    nextRunAt: paused || off ? null : dueTimes(schedule).next(new Date()).toISOString(),
    links: {
      self: `${config.BASE_PATH}/schedules/${schedule.name}`,
      ...(lastFire?.jobId && { lastJob: `${config.BASE_PATH}/jobs/${lastFire.jobId}` }),
    },
  };
}

/** @throws ServiceError not-found */
export function scheduleNamed(name: string, { services }: Call): Schedule {
  const schedule = services.schedules.get(name);
  if (schedule) return schedule;
  throw new ServiceError('not-found', `There is no schedule ${name}; GET /schedules lists them.`);
}

/** The schedule as it is now. */
export async function scheduleAnswer(schedule: Schedule, call: Call): Promise<Answer> {
  const { scheduleRuns: fires } = call.services;
  const [states, [lastFire]] = await Promise.all([fires.states(), fires.history(schedule.name, 1)]);
  const known = { state: states.get(schedule.name), lastFire };
  return {
    status: 200,
    headers: { 'cache-control': 'no-store' },
    body: scheduleResource(schedule, known, call),
  };
}
