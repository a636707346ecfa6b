/**
 * Prometheus metrics of one process; `docs/metrics.md` lists them. Label values come from the service only (operation,
 * kind, system, state), never from a request or an outside system.
 */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

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

const requestBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60];
const callBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const jobBuckets = [0.1, 0.5, 1, 2.5, 5, 15, 30, 60, 300, 900, 3_600];
const printBuckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

export const httpRequests = counter('portal_http_requests_total', 'Requests answered, by operation id and status.', [
  'operation',
  'status',
]);

export const clicksDropped = counter(
  'portal_clicks_dropped_total',
  'Clicks on short links that were not counted, because PostgreSQL was away until the memory for them was full, or at the end of the process.',
  [],
);

export const httpSeconds = seconds(
  'portal_http_request_duration_seconds',
  'Time from the request to the end of its answer; excludes redirects answered from memory.',
  ['operation', 'status'],
  requestBuckets,
);

export const portalEvents = counter(
  'portal_listing_portal_events_total',
  'Deliveries of events of the listing portal, by type and outcome: accepted, repeated, ignored.',
  ['type', 'outcome'],
);

export const jobsAccepted = counter('portal_jobs_accepted_total', 'Jobs accepted.', ['kind']);

export const jobsEnded = counter(
  'portal_jobs_ended_total',
  'Jobs that reached a final state or were held: succeeded, failed, cancelled, held.',
  ['kind', 'state'],
);

export const jobWaitSeconds = seconds(
  'portal_job_wait_seconds',
  'Time from the queuing of a job to the start of its first run.',
  ['kind'],
  jobBuckets,
);

export const jobRunSeconds = seconds(
  'portal_job_run_seconds',
  'Duration of one run of a job, by outcome.',
  ['kind', 'outcome'],
  jobBuckets,
);

export const jobRetries = counter(
  'portal_job_retries_total',
  'Runs that failed with a transient error, so that the job is retried.',
  ['kind'],
);

export const jobsStalled = counter(
  'portal_jobs_stalled_total',
  'Jobs that were requeued because their worker was lost during a run.',
  ['kind'],
);

export const outsideCallSeconds = seconds(
  'portal_outside_call_duration_seconds',
  'Duration of one call to an outside system, each retry counted separately; status: 2xx etc., ok for a protocol without status, none without an answer.',
  ['system', 'method', 'status'],
  callBuckets,
);

export const circuitState = new Gauge({
  name: 'portal_circuit_state',
  help: 'Circuit of an outside system in this process: 0 closed, 1 half-open, 2 open.',
  labelNames: ['system'],
  registers,
});

export const limiterWaitSeconds = seconds(
  'portal_limiter_wait_seconds',
  'Time that a call waited for a rate limit or quota of an outside system.',
  ['system', 'priority'],
  callBuckets,
);

export const callbackTries = counter(
  'portal_callback_tries_total',
  'Delivery attempts of callbacks: delivered, pending (retried later) or failed (no more retries).',
  ['outcome'],
);

export const printSeconds = seconds(
  'portal_browser_print_duration_seconds',
  'Duration of one print or screenshot in the browser, without the wait for a free page.',
  ['outcome'],
  printBuckets,
);

export const browserLaunches = counter(
  'portal_browser_launches_total',
  'Browser launches: one at the start, one after each loss of the browser.',
  [],
);

export const unprocessedPdfs = counter(
  'portal_pdfs_unprocessed_total',
  'Brochures delivered as the browser wrote them, because the structure of its PDFs is unknown.',
  [],
);

export const photosTotal = counter(
  'portal_photos_total',
  'Photos of brochures by source: cache, fetched, or missing when the photo was unavailable.',
  ['source'],
);
