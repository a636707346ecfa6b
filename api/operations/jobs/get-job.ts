import { isAtRest } from '../../../core/jobs/record.ts';
import { JobResource, jobResource } from '../../../core/jobs/resource.ts';
import { anyScope, defineOperation, ok } from '../../http/operation.ts';
import { JobParams, seenJob } from '../../jobs/job-access.ts';

export default defineOperation({
  summary: 'Get one job: its state, progress, result, error and warnings.',
  id: 'jobs.get',
  route: 'GET /jobs/{id}',
  scope: anyScope,
  request: { params: JobParams },
  answers: { 200: { description: 'The job.', schema: JobResource, headers: ['Retry-After'] } },
  async handle({ params }, call) {
    const job = await seenJob(params.id, call);
    const { address, eta } = call.services;
    return ok(jobResource(job, address), {
      ...(!isAtRest(job.state) && { 'retry-after': String(await eta.retryAfterSeconds(job)) }),
    });
  },
});
