/** What a callback says: the job as it ended. Small, as Standard Webhooks ask: large parts are left to its links. */
import { type JobEvent, jobAfter } from '../jobs/event.ts';
import type { JobRecord } from '../jobs/record.ts';
import { type JobResource, jobResource } from '../jobs/resource.ts';

/** Standard Webhooks advise receivers to take 20 kB. */
const maxBytes = 20_000;

/** One of these after the other goes, until the rest fits. */
const reductions: readonly ((job: JobResource) => JobResource)[] = [
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
  // How the telling goes is no news to the one who is told.
  let message = jobResource({ ...jobAfter(job, end), callback: null }, baseUrl);
  for (const reduce of reductions) {
    message = reduce(message);
    const body = JSON.stringify(message);
    if (Buffer.byteLength(body) <= maxBytes) return body;
  }
  return JSON.stringify({ ...message, error: null });
}
