/** Runs, pauses and resumes schedules. */
import { JobResource, jobResource } from '../../../core/jobs/resource.ts';
import { registrationOf } from '../../../core/schedules/schedule.ts';
import { actorOf, defineOperation, ok } from '../../http/operation.ts';
import { shownTo } from '../../jobs/job-access.ts';
import { existingJobHeader } from '../../jobs/job-operation.ts';
import { currentSchedule, findSchedule } from './get-schedules.ts';
import { ScheduleParams, ScheduleResource } from './schedule-resource.ts';

const runSchedule = defineOperation({
  summary: 'Start a schedule’s job now, also while it is paused. The job belongs to the caller.',
  id: 'schedules.run',
  route: 'POST /schedules/{name}/run',
  scope: 'schedules:run',
  idempotent: true,
  request: { params: ScheduleParams },
  answers: {
    202: {
      description:
        'The job; follow `Location`. While an earlier job of the schedule has not ended, that job, marked ' +
        '`Portal-Existing-Job: true`.',
      schema: JobResource,
      headers: ['Location', 'Retry-After', 'Portal-Existing-Job', 'Portal-Sandbox'],
    },
  },
  problems: { conflict: 'Another job does the same work.' },
  async handle({ params }, call) {
    const { address, scheduleService, eta } = call.services;
    const { job, isExisting } = await scheduleService.runNow(findSchedule(params.name, call), actorOf(call));
    const body = jobResource(shownTo(job, call), address);
    return {
      status: 202,
      headers: {
        location: body.links.self,
        'retry-after': String(await eta.retryAfterSeconds(job)),
        ...(isExisting && { [existingJobHeader]: 'true' }),
      },
      body,
    };
  },
});

const pauseOperation = (verb: 'pause' | 'resume', summary: string) =>
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

export default [
  runSchedule,
  pauseOperation(
    'pause',
    'Pause a schedule in all schedulers, also across restarts, until it is resumed. A running job continues.',
  ),
  pauseOperation('resume', 'Resume a paused schedule. Runs that were due during the pause are not caught up.'),
];
