/** Pausing and resuming a schedule: the same request, the other way round. */
import { registrationOf } from '../../../core/schedules/schedule.ts';
import { actorOf, defineOperation } from '../../http/operation.ts';
import { ScheduleParams, ScheduleResource, scheduleAnswer, scheduleNamed } from './schedule-resource.ts';

const pauseOperation = (verb: 'pause' | 'resume', summary: string) =>
  defineOperation({
    summary,
    id: `schedules.${verb}`,
    method: 'POST',
    path: `/schedules/{name}/${verb}`,
    scope: 'schedules:run',
    request: { params: ScheduleParams },
    answers: { 200: { description: 'The schedule as it is now.', schema: ScheduleResource } },
    async handle({ params }, call) {
      const schedule = scheduleNamed(params.name, call);
      await call.services.scheduleRuns.setPaused(registrationOf(schedule), verb === 'pause', actorOf(call));
      return await scheduleAnswer(schedule, call);
    },
  });

export default [
  pauseOperation(
    'pause',
    'Let a schedule fire no more until it is resumed, in all schedulers and across restarts. A job that is at work goes on.',
  ),
  pauseOperation('resume', 'Let a paused schedule fire again. What fell due meanwhile is not made up for.'),
];
