/**
 * What a process counts and times of its own work, for Prometheus. It is told where a thing happens, in one line; a
 * label takes words of the service only (operation, kind, system, state), never a value that came from outside.
 */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** All that this process measures; `docs/metrics.md` lists it. */
export const registry = new Registry();

const registers = [registry];

function counter<L extends string>(name: string, help: string, labelNames: readonly L[]): Counter<L> {
  return new Counter({ name, help, labelNames, registers });
}

/** @param buckets upper bounds in seconds */
function seconds<L extends string>(
  name: string,
  help: string,
  labelNames: readonly L[],
  buckets: readonly number[],
): Histogram<L> {
  return new Histogram({ name, help, labelNames, buckets: [...buckets], registers });
}

const ofAnswers = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60];
const ofCalls = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const ofJobs = [0.1, 0.5, 1, 2.5, 5, 15, 30, 60, 300, 900, 3_600];
const ofPrints = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

/** Redirects that were answered from memory: counted by a plain number, because more would slow them down. */
let plainRedirects = 0;
export function countPlainRedirect(): void {
  plainRedirects++;
}

export const httpRequests = new Counter({
  name: 'portal_http_requests_total',
  help: 'Requests answered, by operation id and status.',
  labelNames: ['operation', 'status'],
  registers,
  collect() {
    if (plainRedirects > 0) this.inc({ operation: 'links.open', status: '302' }, plainRedirects);
    plainRedirects = 0;
  },
});

export const httpSeconds = seconds(
  'portal_http_request_duration_seconds',
  'Time from the request to the end of its answer; redirects answered from memory are not timed.',
  ['operation', 'status'],
  ofAnswers,
);

export const jobsAccepted = counter('portal_jobs_accepted_total', 'Jobs accepted.', ['kind']);

export const jobsEnded = counter(
  'portal_jobs_ended_total',
  'Jobs that came to rest: succeeded, failed, cancelled, or held for a person.',
  ['kind', 'state'],
);

export const jobWaitSeconds = seconds(
  'portal_job_wait_seconds',
  'Time from a job being queued to the beginning of its first run.',
  ['kind'],
  ofJobs,
);

export const jobRunSeconds = seconds(
  'portal_job_run_seconds',
  'Time that one run of a job took, by how it ended.',
  ['kind', 'outcome'],
  ofJobs,
);

export const jobRetries = counter(
  'portal_job_retries_total',
  'Runs that failed in a passing way, so that the job is tried again.',
  ['kind'],
);

export const jobsStalled = counter(
  'portal_jobs_stalled_total',
  'Jobs whose worker was lost in the middle of a run, and that were put back.',
  ['kind'],
);

export const outsideCallSeconds = seconds(
  'portal_outside_call_duration_seconds',
  'Time of one call to an outside system, each repeat by itself; status: 2xx and so on, ok where there is none, none without an answer.',
  ['system', 'method', 'status'],
  ofCalls,
);

export const circuitState = new Gauge({
  name: 'portal_circuit_state',
  help: 'Circuit of an outside system in this process: 0 closed, 1 half-open, 2 open.',
  labelNames: ['system'],
  registers,
});

export const limiterWaitSeconds = seconds(
  'portal_limiter_wait_seconds',
  'Time a call waited because an outside system limits us.',
  ['system', 'priority'],
  ofCalls,
);

export const callbackTries = counter(
  'portal_callback_tries_total',
  'Tries to tell a receiver that its job has ended: delivered, pending (tried again) or failed (given up).',
  ['outcome'],
);

export const printSeconds = seconds(
  'portal_browser_print_duration_seconds',
  'Time of one print or picture in the browser, the wait for a free page not included.',
  ['outcome'],
  ofPrints,
);

export const browserLaunches = counter(
  'portal_browser_launches_total',
  'Browsers launched: one at the start, each further one after the last was lost.',
  [],
);

export const browserPages = counter(
  'portal_browser_pages_total',
  'Pages opened in the browser; a page is replaced when it is used up or lost.',
  [],
);

export const photosGot = counter(
  'portal_photos_total',
  'Photos asked for by brochures: from the cache, fetched, or missing because they could not be had.',
  ['source'],
);
