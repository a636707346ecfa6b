/** Tells receivers that their jobs have ended: takes what is due out of the outbox, posts it, writes what came of it. */
import type { Logger } from 'pino';
import { EgressRefused } from '../egress/egress-refused.ts';
import type { GuardedFetch } from '../egress/guarded-fetch.ts';
import type { CallbackTry, JobEvents } from '../jobs/event.ts';
import type { CallbackState, JobRecords } from '../jobs/record.ts';
import { callbackTries } from '../telemetry/meter.ts';
import { callbackMessage } from './message.ts';
import type { DueCallback, JobCallbacks } from './outbox.ts';
import type { CallbackSecrets } from './secrets.ts';
import { signMessage } from './sign.ts';

export interface DeliveryParts {
  callbacks: JobCallbacks;
  secrets: CallbackSecrets;
  records: Pick<JobRecords, 'find'>;
  events: JobEvents;
  fetcher: GuardedFetch;
  logger: Logger;
}

export interface DeliveryOptions {
  /** The service's address with its base path. */
  baseUrl: string;
  /** Waits before the second and each further try; after the last the callback is given up. */
  retrySeconds: readonly number[];
}

export interface Delivery {
  /** Begins what is due, as far as there is room. */
  begin(): Promise<void>;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
}

/** As Standard Webhooks advise: 15 to 30 s. */
const timeoutMs = 15_000;
/** Longer than a try can take, so that a callback is taken over from a process that died, and from no other. */
const leaseSeconds = 60;
const atOnce = 20;
const atOncePerClient = 5;
/** What the receiver says is of no interest, but is read so that the connection can be used again. */
const maxAnswerBytes = 64_000;

/** @param again called when there is room once more, and perhaps something left to begin */
export function openDelivery(parts: DeliveryParts, options: DeliveryOptions, again: () => void): Delivery {
  const underWay = new Map<Promise<void>, string>();
  let mayBeMore = false;

  const start = (due: DueCallback): void => {
    const done = deliver(due, parts, options)
      .catch(error => parts.logger.warn({ err: error, jobId: due.jobId }, 'the callback is tried again'))
      .finally(() => {
        underWay.delete(done);
        if (mayBeMore) again();
      });
    underWay.set(done, due.clientId);
  };

  return {
    async begin() {
      const room = atOnce - underWay.size;
      if (room === 0) return;
      const due = await parts.callbacks.claim(room, {
        perClient: atOncePerClient,
        underWay: countEach(underWay.values()),
        leaseSeconds,
      });
      mayBeMore = due.length > 0;
      for (const callback of due) start(callback);
    },
    async idle() {
      while (underWay.size > 0) await Promise.all(underWay.keys());
    },
  };
}

function countEach(names: Iterable<string>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

async function deliver(due: DueCallback, parts: DeliveryParts, options: DeliveryOptions): Promise<void> {
  const job = await parts.records.find(due.jobId);
  const [end] = await parts.events.changesAfter(due.jobId, due.eventId - 1, 1);
  if (!job || end?.id !== due.eventId) return;
  const secrets = await parts.secrets.live(due.clientId);
  const body = callbackMessage(job, end, options.baseUrl);
  const signed = signMessage(
    `${due.jobId}_${due.eventId}`,
    body,
    secrets.map(one => one.secret),
    new Date(),
  );
  const answer = await post(due.url, body, { ...signed }, parts.fetcher);

  const delay = answer.isFinal ? undefined : options.retrySeconds[due.tries - 1];
  const tried: CallbackTry = {
    try: due.tries,
    status: answer.status,
    error: answer.error,
    nextTryAt: delay === undefined ? null : new Date(Date.now() + varied(delay) * 1_000).toISOString(),
  };
  await parts.callbacks.settle(due, tried, stateAfter(tried));
  callbackTries.inc({ outcome: stateAfter(tried) });
  parts.logger.info({ jobId: due.jobId, host: new URL(due.url).host, ...tried }, 'callback tried');
}

const stateAfter = (tried: CallbackTry): CallbackState => {
  if (tried.error === null) return 'delivered';
  return tried.nextTryAt === null ? 'failed' : 'pending';
};

/** By up to a tenth either way, so that what failed together does not come back together. */
const varied = (seconds: number): number => seconds * (0.9 + Math.random() * 0.2);

interface PostAnswer {
  status: number | null;
  /** Null: the receiver has it. */
  error: string | null;
  /** Another try would be of no use. */
  isFinal: boolean;
}

async function post(
  url: string,
  body: string,
  signed: Record<string, string>,
  fetcher: GuardedFetch,
): Promise<PostAnswer> {
  try {
    const { status } = await fetcher.fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...signed },
      body,
      maxBytes: maxAnswerBytes,
      timeoutMs,
    });
    return { status, error: null, isFinal: true };
  } catch (error) {
    if (!(error instanceof EgressRefused)) throw error;
    // These are said of the body of a good answer only: it was too much for us, but the receiver has what it needs.
    if (error.reason === 'too-large' || error.reason === 'encoding') {
      return { status: 200, error: null, isFinal: true };
    }
    return { status: error.status ?? null, error: error.message, isFinal: isFinal(error) };
  }
}

/** 410 says that the receiver is no more; what the guard refuses would be refused again. */
function isFinal({ status, reason }: EgressRefused): boolean {
  return status === 410 || ['url', 'scheme', 'credentials', 'port', 'address'].includes(reason);
}
