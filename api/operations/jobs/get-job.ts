import { isAtRest } from '../../../core/jobs/record.ts';
import { JobResource, jobResource } from '../../../core/jobs/resource.ts';
import { anyScope, defineOperation } from '../../http/operation.ts';
import { JobParams, seenJob } from '../../jobs/job-access.ts';

export default defineOperation({
  summary: 'One job: its state, progress, result, error and warnings.',
  id: 'jobs.get',
  method: 'GET',
  path: '/jobs/{id}',
  scope: anyScope,
  request: { params: JobParams },
  answers: { 200: { description: 'The job.', schema: JobResource } },
  async handle({ params }, call) {
    const job = await seenJob(params.id, call);
    return {
      status: 200,
      headers: {
        'cache-control': 'no-store',
        ...(!isAtRest(job.state) && {
          'retry-after': String(await call.services.eta.retryAfterSeconds(job)),
        }),
      },
      body: jobResource(job, call.services.config.BASE_PATH),
    };
  },
});
