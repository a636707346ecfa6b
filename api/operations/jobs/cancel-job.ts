import { JobResource, jobResource } from '../../../core/jobs/resource.ts';
import { anyScope, defineOperation } from '../../http/operation.ts';
import { acceptedAnswer, acceptedJob } from '../../jobs/accepted-job.ts';
import { contractOf, JobParams, ownJob, ownJobProblems } from '../../jobs/job-access.ts';
import { jobExample } from '../../jobs/job-example.ts';

export default defineOperation({
  summary: 'Cancel a job. A running job stops within seconds; an ended one does not change.',
  id: 'jobs.cancel',
  route: 'DELETE /jobs/{id}',
  scope: anyScope,
  request: { params: JobParams },
  answers: {
    200: { description: 'The job has ended.', schema: JobResource, example: jobExample('cancelled') },
    202: acceptedAnswer('Cancellation is requested; follow the job’s state.'),
  },
  problems: { ...ownJobProblems, conflict: 'The kind of the job does not exist any more.' },
  async handle({ params }, call) {
    const job = await ownJob(params.id, call);
    const latest = (await call.services.jobs.cancel(contractOf(job, call), job.id)) ?? job;
    if (latest.state === 'running') return await acceptedJob(latest, call);
    return { status: 200, body: jobResource(latest, call.services.address) };
  },
});
