/**
 * Appends data, such as a phone to a lead, where the vendor system appends the same data again with each request. One
 * process at a time holds the record, reads it and sends only what is missing. When the outcome of a request is unknown,
 * it reads the record again before it sends another one.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { callContext, withFence } from '../integrations/kit/call-context.ts';
import { retryDelayMs, retryLimit } from '../integrations/kit/resilience.ts';
import { definitelyNotExecuted, hasFinished } from '../integrations/kit/upstream-error.ts';
import { acquireLease, type Lease, type LeaseStore, type LeaseTarget, signalOption, withHeartbeat } from './lease.ts';

export interface AppendRequest<Missing> extends LeaseTarget {
  /** Reads the records from the vendor system. @returns undefined when nothing is missing */
  findMissing: () => Promise<Missing | undefined>;
  /** Calls the vendor system; it may retry only what was definitely not executed. */
  append: (missing: Missing) => Promise<void>;
}

/** @throws ServiceError `effect-pending` when another process holds one of the records for too long */
export async function appendMissing<Missing>(store: LeaseStore, request: AppendRequest<Missing>): Promise<void> {
  const acquired = await acquireLease(store, request);
  if (acquired.state !== 'acquired') throw new Error(`${request.kind}: the keys are those of a one-time effect`);
  const { lease } = acquired;
  const settling = trackSettling(store, lease);
  try {
    await withHeartbeat(lease, store, () => appendUnderLease(lease, settling, request));
  } finally {
    await (settling.leftMs() > 0 ? lease.leaveOpen(settling.leftMs()) : lease.release());
  }
}

/** Knows how long requests, of this process or of the previous holder, may still be executed. */
function trackSettling({ settlingMs }: LeaseStore, { previousLeftMs }: Lease) {
  // The previous holder confirms its lease before each request: it sends none after the takeover.
  let settledAt = previousLeftMs === undefined ? 0 : performance.now() + Math.min(0, previousLeftMs) + settlingMs;
  return {
    leftMs: () => Math.max(0, settledAt - performance.now()),
    requestFailed(error: unknown): void {
      settledAt = Math.max(settledAt, performance.now() + (hasFinished(error) ? 0 : settlingMs));
    },
  };
}

async function appendUnderLease<Missing>(
  lease: Lease,
  settling: ReturnType<typeof trackSettling>,
  { findMissing, append }: AppendRequest<Missing>,
): Promise<void> {
  const { priority } = callContext();
  let sends = 0;
  let failure: unknown;
  for (;;) {
    const missing = await findMissing();
    if (missing === undefined) return;
    if (sends > retryLimit(priority)) throw failure;
    if (settling.leftMs() > 0) {
      // An earlier request may still append the data: read again when it no longer can.
      await sleep(settling.leftMs(), undefined, signalOption());
      continue;
    }
    sends += 1;
    try {
      return await withFence(lease.confirm, () => append(missing));
    } catch (error) {
      if (definitelyNotExecuted(error)) throw error;
      settling.requestFailed(error);
      failure = error;
      await sleep(retryDelayMs(sends, error, priority), undefined, signalOption());
    }
  }
}
