import { JobResource, jobResource } from '../../../core/jobs/resource.ts';
import { actorOf, defineOperation } from '../../http/operation.ts';
import { shownTo } from '../../jobs/job-access.ts';
import { existingJobHeader } from '../../jobs/job-operation.ts';
import { ScheduleParams, scheduleNamed } from './schedule-resource.ts';

export default defineOperation({
  summary:
    'Make a schedule’s job now, whatever the time, also while it is paused. The job belongs to the caller.',
  id: 'schedules.run',
  method: 'POST',
  path: '/schedules/{name}/run',
  scope: 'schedules:run',
  idempotent: true,
  request: { params: ScheduleParams },
  answers: {
    202: {
      description:
        'The job; follow `Location`. While a job of the schedule is at work already, that one, marked ' +
        '`Portal-Existing-Job: true`.',
      schema: JobResource,
    },
  },
  async handle({ params }, call) {
    const { config, scheduleService: scheduleDesk, eta: times } = call.services;
    const { job, isExisting } = await scheduleDesk.runNow(scheduleNamed(params.name, call), actorOf(call));
    const body = jobResource(shownTo(job, call), config.BASE_PATH);
    return {
      status: 202,
      headers: {
        location: body.links.self,
        'retry-after': String(await times.retryAfterSeconds(job)),
        ...(isExisting && { [existingJobHeader]: 'true' }),
      },
      body,
    };
  },
});
