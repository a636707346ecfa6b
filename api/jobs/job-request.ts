/** Members that every job request accepts besides its own input: `callback`, `startBy` and `validateOnly`. */
import { z } from 'zod';
import type { AllowRule } from '../../core/egress/allow-rules.ts';
import { checkLiteralUrl } from '../../core/egress/check-url.ts';
import { EgressError } from '../../core/egress/egress-error.ts';
import { type JobOptions, Warning } from '../../core/jobs/record.ts';
import { type Fault, invalidInput } from '../../core/runtime/errors.ts';

const maxUrlLength = 2_048;

const JobRequest = z.object({
  callback: z
    .object({
      url: z
        .string()
        .max(maxUrlLength, `must be at most ${maxUrlLength} characters long`)
        .describe('An http or https URL on the public internet.'),
    })
    .optional()
    .describe(
      'The ended job is sent there with POST, signed according to Standard Webhooks; see `GET /jobs/callback-secret`.',
    ),
  startBy: z.iso.datetime({ offset: true }).optional().describe('A job that has not started by then is cancelled.'),
  validateOnly: z.boolean().optional().describe('Validates the request completely, without starting a job.'),
});

/** Answer to `validateOnly`; an invalid request gets the usual error. */
export const Validation = z
  .object({
    valid: z.literal(true).describe('The request is valid.'),
    warnings: z.array(Warning).describe('What the job would warn of.'),
  })
  .meta({ id: 'Validation' });

/** Adds the common members to an operation's body, which may be absent when it has no required member. */
export function withJobRequest(body: z.ZodObject = z.object({})): z.ZodType {
  const whole = body.extend(JobRequest.shape).meta({ examples: body.meta()?.examples });
  return whole.safeParse({}).success ? whole.prefault({}) : whole;
}

/**
 * Returns the common members of a body.
 * @param body parsed by the schema of `withJobRequest`
 * @throws ServiceError invalid-input with every fault that depends on the time or the configuration
 */
export function jobOptions(body: unknown, rules: readonly AllowRule[], now = Date.now()): JobOptions {
  const { callback, startBy } = JobRequest.parse(body ?? {});
  const faults: Fault[] = [];
  const callbackUrl = callback && allowedUrl(callback.url, rules, faults);
  if (startBy !== undefined && Date.parse(startBy) <= now) {
    faults.push({ pointer: '/startBy', detail: 'must be in the future' });
  }
  if (faults.length > 0) {
    throw invalidInput(faults, 'The job options are invalid.');
  }
  return { callbackUrl, startBy: startBy === undefined ? undefined : new Date(startBy) };
}

/** Returns the URL normalised, with the required escapes. */
function allowedUrl(url: string, rules: readonly AllowRule[], faults: Fault[]): string | undefined {
  try {
    return checkLiteralUrl(url, rules).href;
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    const remedy = error.reason === 'address' || error.reason === 'port' ? '; EGRESS_ALLOW can permit it' : '';
    faults.push({ pointer: '/callback/url', detail: `${error.message}${remedy}` });
    return undefined;
  }
}
