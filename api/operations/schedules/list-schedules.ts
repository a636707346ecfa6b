import { z } from 'zod';
import { schedulerHeartbeat } from '../../../core/schedules/schedule.ts';
import { defineOperation } from '../../http/operation.ts';
import { ScheduleResource, scheduleResource } from './schedule-resource.ts';

export default defineOperation({
  summary:
    'The jobs that are made by the clock: when, what came of the last time, and when the next one is due.',
  id: 'schedules.list',
  method: 'GET',
  path: '/schedules',
  scope: 'schedules:read',
  request: {},
  answers: {
    200: {
      description: 'All of them.',
      schema: z.object({
        items: z.array(ScheduleResource),
        nextCursor: z.null(),
        schedulers: z
          .int()
          .min(0)
          .describe('Scheduler processes alive; while there is none, nothing fires.')
          .meta({ examples: [1] }),
      }),
    },
  },
  async handle(_, call) {
    const { scheduleRuns: fires, schedules, heartbeats: signs } = call.services;
    const [states, alive, ...last] = await Promise.all([
      fires.states(),
      signs.read(),
      ...[...schedules.keys()].map(name => fires.history(name, 1)),
    ]);
    const items = [...schedules.values()].map((schedule, index) =>
      scheduleResource(schedule, { state: states.get(schedule.name), lastFire: last[index]?.[0] }, call),
    );
    const schedulers = alive.find(({ kind }) => kind === schedulerHeartbeat)?.alive ?? 0;
    return {
      status: 200,
      headers: { 'cache-control': 'no-store' },
      body: { items, nextCursor: null, schedulers },
    };
  },
});
