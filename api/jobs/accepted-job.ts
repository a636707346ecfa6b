/** The answer 202 of operations that queue an existing job, or request its cancellation. */
import type { JobRecord } from '../../core/jobs/record.ts';
import { JobResource, jobResource } from '../../core/jobs/resource.ts';
import type { Answer, Call } from '../http/operation.ts';

export const acceptedHeaders = ['Location', 'Retry-After'] as const;
export const acceptedAnswer = (description: string) => ({ description, schema: JobResource, headers: acceptedHeaders });

export async function acceptedJob(job: JobRecord, { services: { address, eta } }: Call): Promise<Answer> {
  const body = jobResource(job, address);
  const retryAfter = String(await eta.retryAfterSeconds(job));
  return { status: 202, headers: { location: body.links.self, 'retry-after': retryAfter }, body };
}
