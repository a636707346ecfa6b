import { z } from 'zod';
import { schedulerHeartbeat } from '../../../core/schedules/schedule.ts';
import { defineOperation, ok } from '../../http/operation.ts';
import { ScheduleResource, scheduleResource } from './schedule-resource.ts';

export default defineOperation({
  summary: 'List all schedules with their timing, last run and next due time.',
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
