/** Problem documents (RFC 9457), the same for a failed request and a failed job. */

import type { Problem } from '../jobs/record.ts';
import type { ServiceError } from './errors.ts';

/** @param instance the request's or the job's path */
export function problemOf(error: ServiceError, instance: string): Problem {
  return {
    type: `urn:portal-service:problem:${error.code}`,
    title: error.title,
    status: error.status,
    detail: error.message,
    instance,
    ...(error.faults.length > 0 && { errors: [...error.faults] }),
  };
}
