/**
 * Effects that must happen once in a vendor system, although jobs are delivered at least once. The ledger takes a lease
 * on the effect before the call and stores its result after it. A repeated call returns the stored result; when the
 * result of an earlier attempt is not stored, the effect is looked up in the vendor system before it is executed again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { z } from 'zod';
import { callContext, withFence } from '../integrations/kit/call-context.ts';
import { definitelyNotExecuted, hasFinished } from '../integrations/kit/upstream-error.ts';
import type { Database } from '../postgres/client.ts';
import { ServiceError } from '../runtime/errors.ts';
import { type AppendRequest, appendMissing } from './append-missing.ts';
import { acquireLease, type Lease, type LeaseStore, type LeaseTarget, signalOption, withHeartbeat } from './lease.ts';

/** Time between two lookups of an effect that may still appear. */
const lookAgainMs = 5_000;

export interface OneTimeEffect<R extends z.ZodType> {
  key: string;
  /** Type of the effect, such as `lead-created`. */
  kind: string;
  system: string;
  /** Schema of the stored result; small, with as little personal data as possible. */
  result: R;
  /**
   * Looks up in the vendor system what an earlier attempt may have done. Leave it out where the vendor has no lookup:
   * an attempt with an unknown outcome is then never repeated.
   */
  find?: () => Promise<z.input<R> | undefined>;
  execute: () => Promise<z.input<R>>;
}

export type Effects = ReturnType<typeof createEffects>;

/**
 * @param settlingSeconds how long the vendor may still execute a request after the lease under which it was sent has
 * ended; until then "not found" does not mean "not done"
 */
export function createEffects(database: Database, logger: Logger, { settlingSeconds }: { settlingSeconds: number }) {
  const store = { database, logger, settlingMs: settlingSeconds * 1_000 };
  return {
    /**
     * @returns `repeated` when the effect had happened before
     * @throws ServiceError `effect-pending` while another process executes it, or an earlier request may still take effect;
     * `conflict` when its outcome is unknown
     */
    once: <R extends z.ZodType>(effect: OneTimeEffect<R>) => once(store, effect),
    /**
     * For jobs only: it waits, too long for an HTTP request, while an earlier request may still be executed.
     * @throws ServiceError `effect-pending` when another process holds one of the records for too long
     */
    appendMissing: <Missing>(request: AppendRequest<Missing>) => appendMissing(store, request),
    /** Runs the work while no other process runs work with one of the keys; holds no database connection. */
    exclusively: <T>(target: LeaseTarget, work: () => Promise<T>) => exclusively(store, target, work),
  };
}

async function exclusively<T>(store: LeaseStore, target: LeaseTarget, work: () => Promise<T>): Promise<T> {
  const acquired = await acquireLease(store, target);
  if (acquired.state !== 'acquired') throw new Error(`${target.kind}: the keys are those of a one-time effect`);
  try {
    return await withHeartbeat(acquired.lease, store, work);
  } finally {
    await acquired.lease.release();
  }
}

async function once<R extends z.ZodType>(store: LeaseStore, effect: OneTimeEffect<R>) {
  const acquired = await acquireLease(store, { ...effect, keys: [effect.key] });
  if (acquired.state === 'settled') return { result: effect.result.parse(acquired.result), repeated: true };
  if (acquired.state === 'unknown') throw outcomeUnknown(effect);
  const { lease } = acquired;
  return await withHeartbeat(lease, store, async () => {
    const found = await findEarlier(store, lease, effect);
    // A process that was paused longer than its lease must not send the request when it continues.
    const fence = async () => void (lease.isValid() || (await lease.confirm()));
    const result = effect.result.parse(found ?? (await withFence(fence, () => executeOrFind(lease, effect))));
    await lease.settle(result);
    return { result, repeated: found !== undefined };
  });
}

/**
 * Looks for the effect of an earlier attempt. A request of a process that died may still be executed: without a result
 * it looks again until the settling time is over; an interactive caller does so by repeating its request.
 * @throws ServiceError `effect-pending`; `conflict` when the system has no lookup
 */
async function findEarlier<R extends z.ZodType>({ settlingMs }: LeaseStore, lease: Lease, effect: OneTimeEffect<R>) {
  if (lease.previousLeftMs === undefined) return undefined;
  if (!effect.find) {
    await lease.markUnknown();
    throw outcomeUnknown(effect);
  }
  const activeUntil = performance.now() + lease.previousLeftMs + settlingMs;
  const activeMs = () => Math.max(0, activeUntil - performance.now());
  try {
    for (;;) {
      const mayAppearLater = activeMs() > 0;
      const found = await effect.find();
      if (found !== undefined || !mayAppearLater) return found;
      if (callContext().priority === 'interactive') throw pending(effect, activeMs());
      await sleep(Math.min(lookAgainMs, activeMs()), undefined, signalOption());
    }
  } catch (error) {
    await lease.leaveOpen(activeMs());
    throw error;
  }
}

async function executeOrFind<R extends z.ZodType>(lease: Lease, effect: OneTimeEffect<R>) {
  try {
    return await effect.execute();
  } catch (error) {
    if (definitelyNotExecuted(error)) {
      await lease.release();
      throw error;
    }
    const found = await effect.find?.().catch(() => undefined);
    if (found !== undefined) return found;
    await (effect.find ? lease.leaveOpen(hasFinished(error) ? 0 : undefined) : lease.markUnknown());
    throw error;
  }
}

const outcomeUnknown = ({ kind }: { kind: string }): ServiceError =>
  new ServiceError(
    'conflict',
    `An earlier attempt may have taken effect (${kind}), and the system has no lookup for it; it is not repeated.`,
  );

function pending({ kind, system }: OneTimeEffect<z.ZodType>, leftMs: number): ServiceError {
  const seconds = Math.ceil(leftMs / 1_000);
  return new ServiceError(
    'effect-pending',
    `An earlier attempt was interrupted after its request (${kind}). The system ${system} does not have its effect yet, and ` +
      `may still carry it out for ${seconds} s. Repeat the request: it returns the effect, or carries it out after that.`,
    { retryAfterSeconds: Math.min(seconds, lookAgainMs / 1_000) },
  );
}
