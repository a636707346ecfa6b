import { z } from 'zod';
import { defineOperation, ok } from '../../http/operation.ts';
import {
  currentSchedule,
  findSchedule,
  RunResource,
  runResource,
  ScheduleParams,
  ScheduleResource,
  scheduleExample,
} from './schedule-resource.ts';

const historyLength = 50;

export default defineOperation({
  summary: 'Get one schedule with its last 50 runs, skipped and missed ones included.',
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
