/**
 * What every request for a job may say besides its own input: where to tell its end, until when to begin it, and that
 * it is to be checked only.
 */
import { z } from 'zod';
import type { AllowRule } from '../../core/egress/allow-rules.ts';
import { checkLiteralUrl } from '../../core/egress/check-url.ts';
import { EgressError } from '../../core/egress/egress-refused.ts';
import { type JobOptions, Warning } from '../../core/jobs/record.ts';
import { type Fault, ServiceError } from '../../core/runtime/errors.ts';

const longestUrl = 2_048;

const JobRequest = z.object({
  callback: z
    .object({
      url: z
        .string()
        .max(longestUrl, `must be at most ${longestUrl} characters long`)
        .describe('An http or https address on the public internet.'),
    })
    .optional()
    .describe(
      'The ended job is POSTed there, signed as Standard Webhooks describe; see `GET /jobs/callback-secret`.',
    ),
  startBy: z.iso
    .datetime({ offset: true, error: 'must be an ISO 8601 time, such as 2026-01-31T08:00:00Z' })
    .optional()
    .describe('A job that was not begun by then is cancelled: nobody waits for it any more.'),
  validateOnly: z
    .boolean({ error: 'must be true or false' })
    .optional()
    .describe('The whole check of the request, and nothing else: no job is made.'),
});

/** What `validateOnly` is answered with; a request that would be refused is refused as always. */
export const Validation = z
  .object({ valid: z.literal(true), warnings: z.array(Warning) })
  .meta({ id: 'Validation' });

/** Whether a body that was parsed by `withJobRequest`'s schema asks for the check only. */
export const onlyValidates = (body: unknown): boolean => JobRequest.parse(body ?? {}).validateOnly === true;

function examplesOf(schema: z.ZodType): { examples?: unknown[] } {
  const examples = schema.meta()?.examples;
  return Array.isArray(examples) ? { examples } : {};
}

/** The row's own body with the common part; a row that has no body of its own need not be sent one. */
export function withJobRequest(body: z.ZodType | undefined): z.ZodType {
  if (body === undefined) return JobRequest.prefault({});
  return body instanceof z.ZodObject
    ? body.extend(JobRequest.shape).meta(examplesOf(body))
    : z.intersection(body, JobRequest.prefault({}));
}

/**
 * The common part of a body that was parsed by `withJobRequest`'s schema.
 * @throws ServiceError invalid-input with every fault that the clock or the configuration finds in it
 */
export function jobTerms(body: unknown, rules: readonly AllowRule[], now = Date.now()): JobOptions {
  const { callback, startBy } = JobRequest.parse(body ?? {});
  const faults: Fault[] = [];
  const callbackUrl = callback && usableUrl(callback.url, rules, faults);
  if (startBy !== undefined && Date.parse(startBy) <= now) {
    faults.push({ pointer: '/startBy', detail: 'must lie in the future' });
  }
  if (faults.length > 0) {
    throw new ServiceError('invalid-input', 'The job cannot be taken on these terms.', { faults });
  }
  return { callbackUrl, startBy: startBy === undefined ? undefined : new Date(startBy) };
}

/** As it will be asked for: with everything escaped that must be. */
function usableUrl(url: string, rules: readonly AllowRule[], faults: Fault[]): string | undefined {
  try {
    return checkLiteralUrl(url, rules).href;
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    faults.push({ pointer: '/callback/url', detail: error.message });
    return undefined;
  }
}
