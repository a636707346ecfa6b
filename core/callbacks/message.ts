/** The body of a callback: the job at its end, with the type and time of the event (Standard Webhooks). */
import { z } from 'zod';
import { type JobEvent, jobAfter } from '../jobs/event.ts';
import { isAtRest, type JobRecord, JobState } from '../jobs/record.ts';
import { JobResource, jobResource } from '../jobs/resource.ts';

export const CallbackMessage = JobResource.extend({
  type: z
    .enum(JobState.options.filter(isAtRest).map(state => `job.${state}` as const))
    .describe('The event: `job.` and the state of the job.'),
  timestamp: z.iso.datetime().describe('When the job ended, or was held.'),
}).meta({ id: 'JobCallbackMessage', examples: [] });
type CallbackMessage = z.infer<typeof CallbackMessage>;

/** Standard Webhooks recommend that receivers accept 20 kB. */
const maxMessageBytes = 20_000;

/** Applied one after the other until the message is small enough; its links lead to the rest. */
const reductions: readonly ((job: CallbackMessage) => CallbackMessage)[] = [
  job => job,
  job => ({ ...job, warnings: job.warnings.slice(0, 20) }),
  job => ({ ...job, result: null }),
  job => ({
    ...job,
    warnings: [],
    error: job.error && { ...job.error, errors: job.error.errors?.slice(0, 10) },
  }),
  job => ({ ...job, error: job.error && { ...job.error, errors: undefined } }),
];

/** @param baseUrl the service's address with its base path, for the links */
export function callbackMessage(job: JobRecord, end: JobEvent, baseUrl: string): string {
  const ended = jobResource({ ...jobAfter(job, end), callback: null }, { links: baseUrl, url: baseUrl });
  let message: CallbackMessage = { type: `job.${ended.state}`, timestamp: end.at.toISOString(), ...ended };
  for (const reduce of reductions) {
    message = reduce(message);
    const body = JSON.stringify(message);
    if (Buffer.byteLength(body) <= maxMessageBytes) return body;
  }
  return JSON.stringify({ ...message, error: null });
}
