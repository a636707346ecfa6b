import { JobResource, jobResource } from '../../../core/jobs/resource.ts';
import { anyScope, defineOperation } from '../../http/operation.ts';
import { contractOf, JobParams, ownJob } from '../../jobs/job-access.ts';
import { jobExample } from '../../jobs/job-example.ts';

export default defineOperation({
  summary:
    'Cancel a job: a waiting one never starts, a held one never goes on, a running one stops within seconds, an ended one stays as it is.',
  id: 'jobs.cancel',
  method: 'DELETE',
  path: '/jobs/{id}',
  scope: anyScope,
  request: { params: JobParams },
  answers: {
    200: { description: 'The job has ended.', schema: JobResource, example: jobExample('cancelled') },
    202: { description: 'The job was told to stop; follow its state.', schema: JobResource },
  },
  async handle({ params }, call) {
    const job = await ownJob(params.id, call);
    const { jobs: desk, config, eta: times } = call.services;
    const latest = (await desk.cancel(contractOf(job, call), job.id)) ?? job;
    const body = jobResource(latest, config.BASE_PATH);
    if (latest.state !== 'running') return { status: 200, body };
    const retryAfter = String(await times.retryAfterSeconds(latest));
    return { status: 202, headers: { location: body.links.self, 'retry-after': retryAfter }, body };
  },
});
