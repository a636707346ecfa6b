import { JobResource, jobResource } from '../../../core/jobs/resource.ts';
import { anyScope, defineOperation } from '../../http/operation.ts';
import { contractOf, JobParams, ownJob } from '../../jobs/job-access.ts';
import { jobExample } from '../../jobs/job-example.ts';
import { rejectTooManyJobs } from '../../jobs/start-job.ts';

export default defineOperation({
  summary:
    'Run a failed or cancelled job again, under the same id; one that failed goes on from its checkpoint. 409 in any other state, and while another job does the same work.',
  id: 'jobs.retry',
  method: 'POST',
  path: '/jobs/{id}/retry',
  scope: anyScope,
  idempotent: true,
  request: { params: JobParams },
  answers: {
    202: { description: 'The job waits again.', schema: JobResource, example: jobExample('queued') },
  },
  async handle({ params }, call) {
    const job = await ownJob(params.id, call);
    const { jobs: desk, config, eta: times } = call.services;
    const contract = contractOf(job, call);
    await rejectTooManyJobs(contract, call);
    const latest = await desk.retry(contract, job.id);
    const body = jobResource(latest, config.BASE_PATH);
    return {
      status: 202,
      headers: { location: body.links.self, 'retry-after': String(await times.retryAfterSeconds(latest)) },
      body,
    };
  },
});
