/** The limit on a client's jobs that are not over. */

import type { JobContract } from '../../core/jobs/contract.ts';
import { ServiceError } from '../../core/runtime/errors.ts';
import type { Call } from '../http/operation.ts';

/** Some will have ended by then, in seconds; when exactly depends on what they do. */
const retryAfterSeconds = 10;

/**
 * Requests side by side may exceed the limit by their own number; that does no harm.
 * @throws ServiceError too-many-requests
 */
export async function refuseTooMany({ kind }: JobContract, { services, client }: Call): Promise<void> {
  const limit = services.config.MAX_OPEN_JOBS;
  if ((await services.records.countOpen(kind, client.clientId, limit)) < limit) return;
  throw new ServiceError(
    'too-many-requests',
    `A client may have ${limit} jobs of the kind ${kind} waiting or running; send this one when some have ended.`,
    { retryAfterSeconds },
  );
}
