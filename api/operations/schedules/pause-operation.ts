/** Pauses and resumes schedules. */
import { registrationOf } from '../../../core/schedules/schedule.ts';
import { actorOf, defineOperation, ok } from '../../http/operation.ts';
import { currentSchedule, findSchedule, ScheduleParams, ScheduleResource } from './schedule-resource.ts';

export const pauseOperation = (verb: 'pause' | 'resume', summary: string) =>
  defineOperation({
    summary,
    id: `schedules.${verb}`,
    route: `POST /schedules/{name}/${verb}`,
    scope: 'schedules:run',
    request: { params: ScheduleParams },
    answers: { 200: { description: 'The schedule after the change.', schema: ScheduleResource } },
    async handle({ params }, call) {
      const schedule = findSchedule(params.name, call);
      await call.services.scheduleRuns.setPaused(registrationOf(schedule), verb === 'pause', actorOf(call));
      return ok(await currentSchedule(schedule, call));
    },
  });
