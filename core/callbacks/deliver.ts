/** Delivers callbacks: claims due ones, posts a signed message, records the outcome. */
import type { Logger } from 'pino';
import { EgressError } from '../egress/egress-error.ts';
import type { GuardedFetch } from '../egress/guarded-fetch.ts';
import type { CallbackTry } from '../jobs/event.ts';
import type { JobEvents } from '../jobs/repository/events.ts';
import type { JobRecords } from '../jobs/repository/repository.ts';
import { stateAfter } from '../postgres/outbox.ts';
import { callbackTries } from '../telemetry/meter.ts';
import { callbackMessage } from './message.ts';
import type { CallbackOutbox, DueCallback } from './outbox.ts';
import type { CallbackSecrets } from './secrets.ts';
import { signMessage } from './sign.ts';

export interface DeliveryContext {
  outbox: CallbackOutbox;
  secrets: CallbackSecrets;
  records: Pick<JobRecords, 'find'>;
  events: JobEvents;
  fetcher: GuardedFetch;
  logger: Logger;
}

export interface DeliveryOptions {
  /** The service's address with its base path. */
  baseUrl: string;
  /** Waits before each further try; after the last the callback is given up. */
  retrySeconds: readonly number[];
}

/** Standard Webhooks recommend 15 to 30 s. */
const timeoutMs = 15_000;
/** Longer than a try, so that only callbacks of dead processes are claimed again. */
const leaseSeconds = 60;
const maxConcurrent = 20;
const maxConcurrentPerClient = 5;
/** The response body is ignored, but read so that the connection can be reused. */
const maxResponseBytes = 64_000;

/** @param onFree called when a delivery has ended and more callbacks may be due */
export function openDelivery(context: DeliveryContext, options: DeliveryOptions, onFree: () => void) {
  /** Deliveries and their clients. */
  const inProgress = new Map<Promise<void>, string>();
  let mayBeMore = false;

  const start = (due: DueCallback): void => {
    const done = deliver(due, context, options)
      .catch(error => context.logger.warn({ err: error, jobId: due.jobId }, 'callback failed; will be retried'))
      .finally(() => {
        inProgress.delete(done);
        if (mayBeMore) onFree();
      });
    inProgress.set(done, due.clientId);
  };

  return {
    /** Starts due callbacks up to the concurrency limit. */
    async startDue(): Promise<void> {
      const free = maxConcurrent - inProgress.size;
      if (free === 0) return;
      const due = await context.outbox.claim(free, {
        perClient: maxConcurrentPerClient,
        inProgress: countEach(inProgress.values()),
        leaseSeconds,
      });
      mayBeMore = due.length > 0;
      for (const callback of due) start(callback);
    },
    /** Resolves when no delivery is in progress. */
    async idle(): Promise<void> {
      while (inProgress.size > 0) await Promise.all(inProgress.keys());
    },
  };
}

function countEach(names: Iterable<string>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

async function deliver(due: DueCallback, context: DeliveryContext, options: DeliveryOptions): Promise<void> {
  const job = await context.records.find(due.jobId);
  const [end] = await context.events.changesAfter(due.jobId, due.eventId - 1, 1);
  if (!job || end?.id !== due.eventId) return;
  const secrets = await context.secrets.live(due.clientId);
  const body = callbackMessage(job, end, options.baseUrl);
  const signed = signMessage(
    `${due.jobId}_${due.eventId}`,
    body,
    secrets.map(({ secret }) => secret),
    new Date(),
  );
  const response = await post(due.url, body, { ...signed }, context.fetcher);

  const delay = response.isFinal ? undefined : options.retrySeconds[due.tries - 1];
  const tried: CallbackTry = {
    try: due.tries,
    status: response.status,
    error: response.error,
    nextTryAt: delay === undefined ? null : new Date(Date.now() + withJitter(delay) * 1_000).toISOString(),
  };
  await context.outbox.settle(due, tried);
  callbackTries.inc({ outcome: stateAfter(tried.error, tried.nextTryAt !== null) });
  context.logger.info({ jobId: due.jobId, host: new URL(due.url).host, ...tried }, 'callback tried');
}

/** ±10 %, so that callbacks that failed together are not retried together. */
const withJitter = (seconds: number): number => seconds * (0.9 + Math.random() * 0.2);

/** @returns `error`: null when delivered; `isFinal`: no further try */
async function post(url: string, body: string, signed: Record<string, string>, fetcher: GuardedFetch) {
  try {
    const { status } = await fetcher.fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...signed },
      body,
      maxBytes: maxResponseBytes,
      timeoutMs,
    });
    return { status, error: null, isFinal: true };
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    // These reasons occur only after a 2xx status, so the receiver has the message.
    if (error.reason === 'too-large' || error.reason === 'encoding') {
      return { status: 200, error: null, isFinal: true };
    }
    return { status: error.status ?? null, error: error.message, isFinal: isFinal(error) };
  }
}

/** 410 means that the receiver no longer exists; an address that the guard rejects would be rejected again. */
const isFinal = ({ status, reason }: EgressError): boolean =>
  status === 410 || ['url', 'scheme', 'credentials', 'port', 'address'].includes(reason);
