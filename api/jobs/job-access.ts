/**
 * Finds the job a caller asks about: its own, or anyone's with the scope `jobs:all`. Work that only one job at a time
 * may do is everybody's who may start it: they are answered with the job that is on, whoever sent it, so they may see it.
 */
import { z } from 'zod';
import { callContext } from '../../core/integrations/kit/call-context.ts';
import { type JobContract, kindOfJobId } from '../../core/jobs/contract.ts';
import type { JobRecord } from '../../core/jobs/record.ts';
import { ServiceError } from '../../core/runtime/errors.ts';
import type { Call } from '../http/operation.ts';

export const JobParams = z.object({
  id: z
    .string()
    .max(100)
    .describe('The job’s id.')
    .meta({ examples: ['pdf_019c1321-7f00-7d6c-9a51-3f2f6f0a7b11'] }),
});

/** Null: everyone's jobs. */
export const jobsVisibleTo = ({ client }: Call): string | null =>
  client.scopes.includes('jobs:all') ? null : client.clientId;

const isOwner = (job: JobRecord, call: Call): boolean => {
  const owner = jobsVisibleTo(call);
  return owner === null || owner === job.clientId;
};

/** Whether the caller could have started such a job itself. */
export const mayStart = (job: JobRecord, { client, services }: Call): boolean =>
  services.startScopes.get(job.kind)?.some(scope => client.scopes.includes(scope)) ?? false;

/**
 * To be changed: cancelled, run again.
 * @throws ServiceError not-found, the same whether the job is gone or someone else's
 */
export async function ownJob(id: string, call: Call): Promise<JobRecord> {
  const job = await seenJob(id, call);
  if (isOwner(job, call)) return job;
  throw new ServiceError('forbidden', 'This job belongs to another client: it can be seen, but not changed.');
}

/**
 * To be looked at.
 * @throws ServiceError not-found, the same whether the job is gone or not for the caller to see
 */
export async function seenJob(id: string, call: Call): Promise<JobRecord> {
  const job = kindOfJobId(id) === undefined ? undefined : await call.services.records.find(id);
  if (job && (isOwner(job, call) || (job.exclusiveKey !== null && mayStart(job, call))))
    return shownTo(job, call);
  throw new ServiceError('not-found', 'There is no such job.');
}

/** Where its end is told is nobody's business but its client's; an answer about it comes from where its work came from. */
export function shownTo(job: JobRecord, call: Call): JobRecord {
  for (const system of job.sandboxes) callContext().sandboxes.add(system);
  return isOwner(job, call) ? job : { ...job, callback: null };
}

/** @throws ServiceError conflict when the job's kind no longer exists */
export function contractOf(job: JobRecord, { services }: Call): JobContract {
  const contract = services.contracts.get(job.kind);
  if (contract) return contract;
  throw new ServiceError('conflict', `Jobs of the kind ${job.kind} can no longer be run.`);
}
