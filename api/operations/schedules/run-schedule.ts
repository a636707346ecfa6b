import { JobResource } from '../../../core/jobs/resource.ts';
import { actorOf, defineOperation } from '../../http/operation.ts';
import { acceptedHeaders, acceptedJob } from '../../jobs/accepted-job.ts';
import { shownTo } from '../../jobs/job-access.ts';
import { existingJobHeader } from '../../jobs/job-operation.ts';
import { findSchedule, ScheduleParams } from './schedule-resource.ts';

export default defineOperation({
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
      headers: [...acceptedHeaders, 'Portal-Existing-Job', 'Portal-Sandbox'],
    },
  },
  problems: { conflict: 'Another job does the same work.' },
  async handle({ params }, call) {
    const schedule = findSchedule(params.name, call);
    const { job, isExisting } = await call.services.scheduleService.runNow(schedule, actorOf(call));
    const answer = await acceptedJob(shownTo(job, call), call);
    return isExisting ? { ...answer, headers: { ...answer.headers, [existingJobHeader]: 'true' } } : answer;
  },
});
