import { ServiceError } from '../../../core/runtime/errors.ts';
import { actorOf, anyScope, defineOperation } from '../../http/operation.ts';
import { acceptedAnswer, acceptedJob } from '../../jobs/accepted-job.ts';
import { contractOf, JobParams, jobsVisibleTo, mayStart, ownJob, ownJobProblems } from '../../jobs/job-access.ts';
import { jobExample } from '../../jobs/job-example.ts';

export default defineOperation({
  summary:
    'Release a held job: it carries out exactly its plan. Requires the scope that starts such a job, or `jobs:all`. `DELETE /jobs/{id}` drops it instead.',
  id: 'jobs.release',
  route: 'POST /jobs/{id}/release',
  scope: anyScope,
  idempotent: true,
  request: { params: JobParams },
  answers: {
    202: { ...acceptedAnswer('The job waits for a worker; follow `Location`.'), example: jobExample('queued') },
  },
  problems: {
    ...ownJobProblems,
    'insufficient-scope': 'The token lacks the scope that starts such a job.',
    conflict: 'The job is not held, or another job does the same work.',
  },
  async handle({ params }, call) {
    const job = await ownJob(params.id, call);
    if (jobsVisibleTo(call) !== null && !mayStart(job, call)) {
      throw new ServiceError('insufficient-scope', `Requires the scope that starts ${job.kind} jobs, or jobs:all.`);
    }
    return await acceptedJob(await call.services.jobs.release(contractOf(job, call), job.id, actorOf(call)), call);
  },
});
