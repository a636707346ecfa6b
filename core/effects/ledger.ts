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

export interface OneTimeEffect<R extends z.ZodType> extends PlannedEffect<R> {
  execute: () => Promise<z.input<R>>;
}

export interface PlannedEffect<R extends z.ZodType> {
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
}

/** What became of an effect. */
export type Execution<T> = { value: T } | { error: unknown };

/** `repeated`: the effect had happened before. */
type Ended<R extends z.ZodType> = { result: z.output<R>; repeated: boolean } | { error: unknown };

/** Executes the effects with these keys in one request. */
type ExecuteAll<R extends z.ZodType> = (
  keys: ReadonlySet<string>,
) => Promise<ReadonlyMap<string, Execution<z.input<R>>>>;

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
     * Effects with different keys that one request carries out.
     * @param executeAll gets the keys of those that have not happened yet
     * @returns the end of each effect, in their order
     */
    onceEach: <R extends z.ZodType>(effects: readonly PlannedEffect<R>[], executeAll: ExecuteAll<R>) =>
      onceEach(store, effects, executeAll),
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

async function once<R extends z.ZodType>(store: LeaseStore, { execute, ...effect }: OneTimeEffect<R>) {
  const [ended] = await onceEach(store, [effect], async () => new Map([[effect.key, { value: await execute() }]]));
  if (!ended || 'error' in ended) throw ended?.error;
  return ended;
}

async function onceEach<R extends z.ZodType>(
  store: LeaseStore,
  effects: readonly PlannedEffect<R>[],
  executeAll: ExecuteAll<R>,
): Promise<Ended<R>[]> {
  const held = new Set<Lease>();
  const renew = async () => void (await Promise.all([...held].map(lease => lease.renew())));
  return await withHeartbeat({ renew }, store, async () => {
    const begun = await Promise.all(effects.map(effect => begin(store, effect, held).catch(failed)));
    const open = begun.flatMap(one => ('lease' in one ? [one] : []));
    const executions = await executeOpen(open, executeAll);
    const end = (one: OpenEffect<R>) =>
      conclude(one, executions(one.effect.key))
        .catch(failed)
        .finally(() => held.delete(one.lease));
    return await Promise.all(begun.map(one => ('lease' in one ? end(one) : one)));
  });
}

const failed = (error: unknown): { error: unknown } => ({ error });

/** An effect that has not happened yet, and whose key this process holds. */
interface OpenEffect<R extends z.ZodType> {
  effect: PlannedEffect<R>;
  lease: Lease;
}

/** @param held gets the lease, unless the effect ends with an error */
async function begin<R extends z.ZodType>(
  store: LeaseStore,
  effect: PlannedEffect<R>,
  held: Set<Lease>,
): Promise<OpenEffect<R> | Ended<R>> {
  const acquired = await acquireLease(store, { ...effect, keys: [effect.key] });
  if (acquired.state === 'settled') return { result: effect.result.parse(acquired.result), repeated: true };
  if (acquired.state === 'unknown') throw outcomeUnknown(effect);
  const open = { effect, lease: acquired.lease };
  held.add(open.lease);
  try {
    const found = await findEarlier(store, open);
    return found === undefined ? open : await settle(open, found, true);
  } catch (error) {
    held.delete(open.lease);
    throw error;
  }
}

/** @returns what became of each; a failure of the request is one of each effect */
async function executeOpen<R extends z.ZodType>(
  open: readonly OpenEffect<R>[],
  executeAll: ExecuteAll<R>,
): Promise<(key: string) => Execution<z.input<R>>> {
  // A process that was paused longer than its leases must not send the request when it continues.
  const fence = async () => {
    for (const { lease } of open) if (!lease.isValid()) await lease.confirm();
  };
  try {
    const keys = new Set(open.map(({ effect }) => effect.key));
    const executions = keys.size === 0 ? undefined : await withFence(fence, () => executeAll(keys));
    return key => executions?.get(key) ?? failed(new Error(`nothing is known about the effect ${key}`));
  } catch (error) {
    return () => failed(error);
  }
}

/** Stores the outcome of an effect that was executed, and ends the lease. */
const conclude = async <R extends z.ZodType>(open: OpenEffect<R>, execution: Execution<z.input<R>>) =>
  await settle(open, 'value' in execution ? execution.value : await findExecuted(open, execution.error), false);

async function settle<R extends z.ZodType>({ effect, lease }: OpenEffect<R>, value: z.input<R>, repeated: boolean) {
  const result = effect.result.parse(value);
  await lease.settle(result);
  return { result, repeated };
}

/**
 * Looks for the effect of an earlier attempt. A request of a process that died may still be executed: without a result
 * it looks again until the settling time is over; an interactive caller does so by repeating its request.
 * @throws ServiceError `effect-pending`; `conflict` when the system has no lookup
 */
async function findEarlier<R extends z.ZodType>({ settlingMs }: LeaseStore, { effect, lease }: OpenEffect<R>) {
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

/** @throws the error when the effect is not found in the vendor system */
async function findExecuted<R extends z.ZodType>({ effect, lease }: OpenEffect<R>, error: unknown) {
  if (definitelyNotExecuted(error)) {
    await lease.release();
    throw error;
  }
  const found = await effect.find?.().catch(() => undefined);
  if (found !== undefined) return found;
  await (effect.find ? lease.leaveOpen(hasFinished(error) ? 0 : undefined) : lease.markUnknown());
  throw error;
}

const outcomeUnknown = ({ kind }: { kind: string }): ServiceError =>
  new ServiceError(
    'conflict',
    `An earlier attempt may have taken effect (${kind}), and the system has no lookup for it; it is not repeated.`,
  );

function pending({ kind, system }: PlannedEffect<z.ZodType>, leftMs: number): ServiceError {
  const seconds = Math.ceil(leftMs / 1_000);
  return new ServiceError(
    'effect-pending',
    `An earlier attempt was interrupted after its request (${kind}). The system ${system} does not have its effect yet, and ` +
      `may still carry it out for ${seconds} s. Repeat the request: it returns the effect, or carries it out after that.`,
    { retryAfterSeconds: Math.min(seconds, lookAgainMs / 1_000) },
  );
}
