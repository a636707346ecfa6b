/** Lists the schedules, or reads one with its latest runs. */
import { z } from 'zod';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { type Schedule, schedulerHeartbeat } from '../../../core/schedules/schedule.ts';
import { type Call, defineOperation, ok } from '../../http/operation.ts';
import {
  RunResource,
  runResource,
  ScheduleParams,
  ScheduleResource,
  scheduleExample,
  scheduleResource,
} from './schedule-resource.ts';

const historyLength = 50;

const listSchedules = defineOperation({
  summary: 'All schedules with their timing, last run and next due time.',
  id: 'schedules.list',
  route: 'GET /schedules',
  scope: 'schedules:read',
  request: {},
  answers: {
    200: {
      description: 'All schedules.',
      schema: z.object({
        items: z.array(ScheduleResource).describe('The schedules, by name.'),
        nextCursor: z.null().describe('All schedules are on one page.'),
        schedulers: z
          .int()
          .min(0)
          .describe('Number of live scheduler processes; without one no schedule runs.')
          .meta({ examples: [1] }),
      }),
    },
  },
  async handle(_, call) {
    const { scheduleRuns, schedules, heartbeats } = call.services;
    const [states, alive, ...last] = await Promise.all([
      scheduleRuns.states(),
      heartbeats.read(),
      ...[...schedules.keys()].map(name => scheduleRuns.history(name, 1)),
    ]);
    const items = [...schedules.values()].map((schedule, index) =>
      scheduleResource(schedule, { state: states.get(schedule.name), lastRun: last[index]?.[0] }, call),
    );
    const schedulers = alive.find(({ kind }) => kind === schedulerHeartbeat)?.alive ?? 0;
    return ok({ items, nextCursor: null, schedulers });
  },
});

const getSchedule = defineOperation({
  summary: 'One schedule with its last 50 runs, skipped and missed ones included.',
  id: 'schedules.get',
  route: 'GET /schedules/{name}',
  scope: 'schedules:read',
  request: { params: ScheduleParams },
  answers: {
    200: {
      description: 'The schedule; the latest run first.',
      schema: ScheduleResource.extend({ fires: z.array(RunResource).describe('Its latest runs, newest first.') }).meta({
        id: 'ScheduleWithFires',
        examples: [{ ...scheduleExample, fires: [scheduleExample.lastFire] }],
      }),
    },
  },
  async handle({ params }, call) {
    const schedule = findSchedule(params.name, call);
    const [current, runs] = await Promise.all([
      currentSchedule(schedule, call),
      call.services.scheduleRuns.history(schedule.name, historyLength),
    ]);
    return ok({ ...current, fires: runs.map(runResource) });
  },
});

export default [listSchedules, getSchedule];

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
