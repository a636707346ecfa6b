import { JobResource, jobResource } from '../../../core/jobs/resource.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { actorOf, anyScope, defineOperation } from '../../http/operation.ts';
import { contractOf, JobParams, jobsVisibleTo, mayStart, ownJob } from '../../jobs/job-access.ts';
import { jobExample } from '../../jobs/job-example.ts';

export default defineOperation({
  summary:
    'Let a held job go on with exactly the plan it showed. It takes the scope that starts such a job, or `jobs:all`. 409 when the job is not held, or while another one does the same work. `DELETE /jobs/{id}` drops it instead.',
  id: 'jobs.release',
  method: 'POST',
  path: '/jobs/{id}/release',
  scope: anyScope,
  idempotent: true,
  request: { params: JobParams },
  answers: {
    202: {
      description: 'The job waits to be carried out; follow `Location`.',
      schema: JobResource,
      example: jobExample('queued'),
    },
  },
  async handle({ params }, call) {
    const job = await ownJob(params.id, call);
    if (jobsVisibleTo(call) !== null && !mayStart(job, call)) {
      throw new ServiceError(
        'insufficient-scope',
        `Releasing a job of the kind ${job.kind} takes its scope.`,
      );
    }
    const { jobs: desk, config, eta: times } = call.services;
    const released = await desk.release(contractOf(job, call), job.id, actorOf(call));
    const body = jobResource(released, config.BASE_PATH);
    return {
      status: 202,
      headers: { location: body.links.self, 'retry-after': String(await times.retryAfterSeconds(released)) },
      body,
    };
  },
});
