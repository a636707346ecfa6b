/** Leases on keys of the effects ledger: one process at a time holds a key, or several keys together. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { and, eq, inArray, ne, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import { callContext } from '../integrations/kit/call-context.ts';
import type { Database } from '../postgres/client.ts';
import { ServiceError } from '../runtime/errors.ts';
import { effectTable as table } from './schema.ts';

export interface LeaseTarget {
  /** Such as `lead-contacts:1203`; no key twice. */
  keys: readonly string[];
  /** Type of the effect, such as `lead-contacts`. */
  kind: string;
  system: string;
}

export interface LeaseStore {
  database: Database;
  logger: Logger;
  /** How long the vendor may still execute a request after the lease under which it was sent has ended. */
  settlingMs: number;
}

type Attempt =
  /** `previousLeftMs`: time left on the lease that was taken over; negative after its end, undefined without one. */
  | { state: 'acquired'; leaseId: string; requestedAt: number; previousLeftMs: number | undefined }
  | { state: 'settled'; result: unknown }
  | { state: 'unknown' }
  | { state: 'busy' };

export type Lease = ReturnType<typeof openLease>;

const leaseMs = 15_000;
const renewEveryMs = 5_000;
/** No request is sent in the last part of a lease. */
const sendMarginMs = 5_000;
/** Longer than a lease, so that the lease of a process that died ends within it. */
const maxWaitMs = 20_000;
const pollMs = 200;

/**
 * Waits until the keys are free, and takes a lease on all of them.
 * @throws ServiceError `effect-pending` when another process holds one of them for more than 20 s
 */
export async function acquireLease(store: LeaseStore, target: LeaseTarget) {
  const until = Date.now() + maxWaitMs;
  for (;;) {
    const attempt = await tryAcquire(store.database, target);
    if (attempt.state === 'acquired') return { state: attempt.state, lease: openLease(store, target, attempt) };
    if (attempt.state !== 'busy') return attempt;
    if (Date.now() > until) throw leaseBusy(target.kind);
    await sleep(pollMs, undefined, signalOption());
  }
}

/** Renews the lease every 5 s while the work runs. */
export async function withHeartbeat<T>(
  lease: Pick<Lease, 'renew'>,
  { logger }: Pick<LeaseStore, 'logger'>,
  work: () => Promise<T>,
): Promise<T> {
  const timer = setInterval(() => {
    lease.renew().catch(error => logger.warn({ err: error }, 'could not renew a lease'));
  }, renewEveryMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/** Ends a wait when the call context is cancelled. */
export const signalOption = () => {
  const { signal } = callContext();
  return signal ? { signal } : {};
};

const fromNow = (ms: number) => sql`now() + ${ms} * interval '1 millisecond'`;

/** All keys or none: no process waits for one key while it holds another. */
async function tryAcquire(database: Database, { keys: unsorted, kind, system }: LeaseTarget): Promise<Attempt> {
  // Every process locks the rows in the same order, which prevents deadlocks.
  const keys = [...unsorted].sort();
  const { jobId = null, runId = null } = callContext().run ?? {};
  const leaseId = randomUUID();
  const requestedAt = performance.now();
  const lease = { leaseId, leasedUntil: fromNow(leaseMs), jobId, runId };
  const rows = keys.map(key => ({ key, kind, system, state: 'claimed' as const, ...lease }));
  const insert = (db: Pick<Database, 'insert'>) =>
    db.insert(table).values(rows).onConflictDoNothing().returning({ key: table.key });
  const acquired = { state: 'acquired', leaseId, requestedAt } as const;
  // A single key, the usual case, needs no transaction.
  if (keys.length === 1 && (await insert(database)).length === 1) return { ...acquired, previousLeftMs: undefined };

  return database.transaction(async (tx): Promise<Attempt> => {
    const created = await insert(tx);
    if (created.length === keys.length) return { ...acquired, previousLeftMs: undefined };
    const others = await tx
      .select({
        state: table.state,
        result: table.result,
        jobId: table.jobId,
        runId: table.runId,
        leftMs: sql`extract(epoch from ${table.leasedUntil} - now()) * 1000`.mapWith(Number),
      })
      .from(table)
      .where(and(inArray(table.key, keys), ne(table.leaseId, leaseId)))
      .orderBy(table.key)
      .for('update');
    const done = others.find(({ state }) => state !== 'claimed');
    // A job has one run at a time: a lease of an earlier run of the same job is taken over at once.
    const isTaken = others.some(other => other.leftMs > 0 && (other.jobId !== jobId || other.runId === runId));
    // A row that is missing was released just now; the next attempt can insert it.
    if (done || isTaken || created.length + others.length < keys.length) {
      if (created.length > 0) await tx.delete(table).where(and(inArray(table.key, keys), eq(table.leaseId, leaseId)));
      if (done?.state === 'settled') return { state: 'settled', result: done.result };
      return { state: done ? 'unknown' : 'busy' };
    }
    await tx.update(table).set(lease).where(inArray(table.key, keys));
    const previousLeftMs = Math.max(...others.map(({ leftMs }) => leftMs));
    return { ...acquired, previousLeftMs };
  });
}

function openLease(
  { database, settlingMs }: LeaseStore,
  { keys, kind }: LeaseTarget,
  { leaseId, requestedAt, previousLeftMs }: Extract<Attempt, { state: 'acquired' }>,
) {
  const own = and(inArray(table.key, [...keys]), eq(table.leaseId, leaseId));
  let validUntil = requestedAt + leaseMs;
  const isValid = () => performance.now() < validUntil - sendMarginMs;

  async function renew(): Promise<void> {
    const at = performance.now();
    const set = { leasedUntil: fromNow(leaseMs) };
    const rows = await database.update(table).set(set).where(own).returning({ key: table.key });
    validUntil = rows.length === keys.length ? at + leaseMs : 0;
  }

  return {
    previousLeftMs,
    isValid,
    renew,
    /** @throws ServiceError `effect-pending` when another process has taken the lease over, as after a long pause of this one */
    async confirm(): Promise<void> {
      await renew();
      if (!isValid()) throw leaseBusy(kind);
    },
    /** Deletes the rows: no request was executed, or none can be executed any more. */
    async release(): Promise<void> {
      await database.delete(table).where(own);
    },
    /**
     * Ends the lease now. The next holder learns that a request may still be executed.
     * @param activeMs for how long
     */
    async leaveOpen(activeMs = settlingMs): Promise<void> {
      await database
        .update(table)
        .set({ leasedUntil: fromNow(activeMs - settlingMs) })
        .where(own);
    },
    async settle(result: unknown): Promise<void> {
      await database.update(table).set({ state: 'settled', result, settledAt: sql`now()` }).where(own);
    },
    /** The effect may have happened and the vendor has no lookup for it: it is never executed again. */
    async markUnknown(): Promise<void> {
      await database.update(table).set({ state: 'unknown' }).where(own);
    },
  };
}

const leaseBusy = (kind: string): ServiceError =>
  new ServiceError('effect-pending', `Another process carries out the same effect (${kind}); try again in 5 s.`, {
    retryAfterSeconds: 5,
  });
