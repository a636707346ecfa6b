import { anyScope, defineOperation } from '../../http/operation.ts';
import { acceptedAnswer, acceptedJob } from '../../jobs/accepted-job.ts';
import { contractOf, JobParams, ownJob, ownJobProblems } from '../../jobs/job-access.ts';
import { jobExample } from '../../jobs/job-example.ts';

export default defineOperation({
  summary:
    'Run a failed or cancelled job again under the same id, or one whose file is gone; a failed one continues at its checkpoint.',
  id: 'jobs.retry',
  route: 'POST /jobs/{id}/retry',
  scope: anyScope,
  idempotent: true,
  request: { params: JobParams },
  answers: {
    202: { ...acceptedAnswer('The job waits again.'), example: jobExample('queued') },
  },
  problems: { ...ownJobProblems, conflict: 'The job cannot be retried, or another job does the same work.' },
  async handle({ params }, call) {
    const job = await ownJob(params.id, call);
    const contract = contractOf(job, call);
    const { records, config } = call.services;
    await records.rejectTooMany(job.kind, call.client.clientId, config.MAX_OPEN_JOBS);
    return await acceptedJob(await call.services.jobs.retry(contract, job.id), call);
  },
});
