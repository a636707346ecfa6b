/** Cancels, retries and releases jobs. */
import type { JobRecord } from '../../../core/jobs/record.ts';
import { JobResource, jobResource } from '../../../core/jobs/resource.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { type Answer, actorOf, anyScope, type Call, defineOperation } from '../../http/operation.ts';
import { contractOf, JobParams, jobsVisibleTo, mayStart, ownJob } from '../../jobs/job-access.ts';
import { jobExample } from '../../jobs/job-example.ts';

const headers = ['Location', 'Retry-After'] as const;
const ofOtherClients = { forbidden: 'The job belongs to another client.' } as const;

const cancel = defineOperation({
  summary: 'Cancel a job. A running job stops within seconds; an ended one does not change.',
  id: 'jobs.cancel',
  route: 'DELETE /jobs/{id}',
  scope: anyScope,
  request: { params: JobParams },
  answers: {
    200: { description: 'The job has ended.', schema: JobResource, example: jobExample('cancelled') },
    202: { description: 'Cancellation is requested; follow the job’s state.', schema: JobResource, headers },
  },
  problems: { ...ofOtherClients, conflict: 'The kind of the job does not exist any more.' },
  async handle({ params }, call) {
    const job = await ownJob(params.id, call);
    const latest = (await call.services.jobs.cancel(contractOf(job, call), job.id)) ?? job;
    if (latest.state === 'running') return await accepted(latest, call);
    return { status: 200, body: jobResource(latest, call.services.address) };
  },
});

const retry = defineOperation({
  summary:
    'Run a failed or cancelled job again under the same id, or one whose file is gone; a failed one continues at its checkpoint.',
  id: 'jobs.retry',
  route: 'POST /jobs/{id}/retry',
  scope: anyScope,
  idempotent: true,
  request: { params: JobParams },
  answers: {
    202: { description: 'The job waits again.', schema: JobResource, example: jobExample('queued'), headers },
  },
  problems: { ...ofOtherClients, conflict: 'The job cannot be retried, or another job does the same work.' },
  async handle({ params }, call) {
    const job = await ownJob(params.id, call);
    const contract = contractOf(job, call);
    const { records, config } = call.services;
    await records.rejectTooMany(job.kind, call.client.clientId, config.MAX_OPEN_JOBS);
    return await accepted(await call.services.jobs.retry(contract, job.id), call);
  },
});

const release = defineOperation({
  summary:
    'Release a held job: it carries out exactly its plan. Requires the scope that starts such a job, or `jobs:all`. `DELETE /jobs/{id}` drops it instead.',
  id: 'jobs.release',
  route: 'POST /jobs/{id}/release',
  scope: anyScope,
  idempotent: true,
  request: { params: JobParams },
  answers: {
    202: {
      description: 'The job waits for a worker; follow `Location`.',
      schema: JobResource,
      example: jobExample('queued'),
      headers,
    },
  },
  problems: {
    ...ofOtherClients,
    'insufficient-scope': 'The token lacks the scope that starts such a job.',
    conflict: 'The job is not held, or another job does the same work.',
  },
  async handle({ params }, call) {
    const job = await ownJob(params.id, call);
    if (jobsVisibleTo(call) !== null && !mayStart(job, call)) {
      throw new ServiceError('insufficient-scope', `Requires the scope that starts ${job.kind} jobs, or jobs:all.`);
    }
    return await accepted(await call.services.jobs.release(contractOf(job, call), job.id, actorOf(call)), call);
  },
});

async function accepted(job: JobRecord, { services: { address, eta } }: Call): Promise<Answer> {
  const body = jobResource(job, address);
  const retryAfter = String(await eta.retryAfterSeconds(job));
  return { status: 202, headers: { location: body.links.self, 'retry-after': retryAfter }, body };
}

export default [cancel, retry, release];
