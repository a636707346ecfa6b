/** Problem documents (RFC 9457), the same for a failed request and a failed job. */

import { z } from 'zod';
import type { ServiceError } from './errors.ts';

/** A problem document (RFC 9457): the same for a failed request and a failed job. */
export const Problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  instance: z.string().optional(),
  errors: z
    .array(
      z.object({
        pointer: z.string().describe('JSON Pointer (RFC 6901) into the request body, or into `in`.'),
        detail: z.string(),
        in: z.enum(['path', 'query']).optional().describe('Absent: in the body.'),
      }),
    )
    .optional(),
});
export type Problem = z.infer<typeof Problem>;

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
