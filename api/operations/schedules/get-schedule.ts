import { z } from 'zod';
import { defineOperation } from '../../http/operation.ts';
import {
  FireResource,
  fireResource,
  ScheduleParams,
  ScheduleResource,
  scheduleAnswer,
  scheduleExample,
  scheduleNamed,
} from './schedule-resource.ts';

const historyLength = 50;

export default defineOperation({
  summary: 'One schedule with its last 50 fires, those that were skipped or missed among them.',
  id: 'schedules.get',
  method: 'GET',
  path: '/schedules/{name}',
  scope: 'schedules:read',
  request: { params: ScheduleParams },
  answers: {
    200: {
      description: 'The schedule; the newest fire first.',
      schema: ScheduleResource.extend({ fires: z.array(FireResource) }).meta({
        id: 'ScheduleWithFires',
        examples: [{ ...scheduleExample, fires: [scheduleExample.lastFire] }],
      }),
    },
  },
  async handle({ params }, call) {
    const schedule = scheduleNamed(params.name, call);
    const [answer, fires] = await Promise.all([
      scheduleAnswer(schedule, call),
      call.services.scheduleRuns.history(schedule.name, historyLength),
    ]);
    return { ...answer, body: { ...answer.body, fires: fires.map(fireResource) } };
  },
});
