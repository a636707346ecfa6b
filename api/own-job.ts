/** Finds the job a caller asks about: its own, or anyone's with the scope `jobs:all`. */
import { z } from 'zod';
import { ServiceError } from '../core/errors.ts';
import type { JobRecord } from '../core/job-record.ts';
import { type JobContract, kindOfJobId } from '../core/jobs/define-job.ts';
import type { Call } from './operation.ts';

export const JobParams = z.object({ id: z.string().max(100).describe('The job’s id.') });

/** Null: everyone's jobs. */
export const jobsVisibleTo = ({ client }: Call): string | null =>
  client.scopes.includes('jobs:all') ? null : client.clientId;

/** @throws ServiceError not-found, the same whether the job is gone or someone else's */
export async function ownJob(id: string, call: Call): Promise<JobRecord> {
  const job = kindOfJobId(id) === undefined ? undefined : await call.services.records.find(id);
  const owner = jobsVisibleTo(call);
  if (job && (owner === null || owner === job.clientId)) return job;
  throw new ServiceError('not-found', 'There is no such job.');
}

/** @throws ServiceError conflict when the job's kind no longer exists */
export function contractOf(job: JobRecord, { services }: Call): JobContract {
  const contract = services.contracts.get(job.kind);
  if (contract) return contract;
  throw new ServiceError('conflict', `Jobs of the kind ${job.kind} can no longer be run.`);
}
