/**
 * Access to jobs. A client sees its own jobs, and all jobs with the scope `jobs:all`. Jobs with an `exclusiveKey` are also
 * visible to every client that may start them, because a request for the same work returns them.
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

/** Null: all jobs. */
export const jobsVisibleTo = ({ client }: Call): string | null =>
  client.scopes.includes('jobs:all') ? null : client.clientId;

const isOwner = (job: JobRecord, call: Call): boolean => {
  const owner = jobsVisibleTo(call);
  return owner === null || owner === job.clientId;
};

/** Whether the caller's scopes allow it to start jobs of this kind. */
export const mayStart = (job: JobRecord, { client, services }: Call): boolean =>
  services.startScopes.get(job.kind)?.some(scope => client.scopes.includes(scope)) ?? false;

/** The problem that `ownJob` raises, for the declaration of an operation. */
export const ownJobProblems = { forbidden: 'The job belongs to another client.' } as const;

/**
 * Returns a job that the caller may change (cancel, retry).
 * @throws ServiceError not-found; forbidden when the caller may only see the job
 */
export async function ownJob(id: string, call: Call): Promise<JobRecord> {
  const job = await seenJob(id, call);
  if (isOwner(job, call)) return job;
  throw new ServiceError('forbidden', 'This job belongs to another client: you can see it but not change it.');
}

/**
 * Returns a job that the caller may see.
 * @throws ServiceError not-found, the same for a missing job and one that the caller may not see
 */
export async function seenJob(id: string, call: Call): Promise<JobRecord> {
  const job = await visibleJob(id, call);
  if (job) return job;
  throw new ServiceError('not-found', 'There is no such job.');
}

/** Undefined for a missing job and one that the caller may not see. */
export async function visibleJob(id: string, call: Call): Promise<JobRecord | undefined> {
  const job = kindOfJobId(id) === undefined ? undefined : await call.services.records.find(id);
  const isSeen = job && (isOwner(job, call) || (job.exclusiveKey !== null && mayStart(job, call)));
  return isSeen ? shownTo(job, call) : undefined;
}

/** Hides the callback URL from other clients, and adds the systems that the sandbox replaced to the call's context. */
export function shownTo(job: JobRecord, call: Call): JobRecord {
  for (const system of job.sandboxes) callContext().sandboxes.add(system);
  return isOwner(job, call) ? job : { ...job, callback: null };
}

/** @throws ServiceError conflict when the job's kind no longer exists */
export function contractOf(job: JobRecord, { services }: Call): JobContract {
  const contract = services.contracts.get(job.kind);
  if (contract) return contract;
  throw new ServiceError(
    'conflict',
    `Jobs of the kind ${job.kind} can no longer run: the kind does not exist any more.`,
  );
}
