/**
 * On whose behalf outside systems are called: a request, whose caller waits, or a run of a job. It travels with the
 * work by itself, so that no connector passes priority, signal and counters through every verb.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

export interface CallScope {
  /** Interactive calls go before background work where a system limits us. */
  priority: 'interactive' | 'background';
  /** Whether calls that failed are repeated where they may be; false for who wants to know how a system is just now. */
  repeats: boolean;
  /** Ends waiting and calls in flight. */
  signal: AbortSignal | undefined;
  /** The job and its run, when it is one. */
  run: { jobId: string; runId: string } | undefined;
  /** HTTP requests sent to each system, repeats included. */
  calls: Map<string, number>;
  /** The systems that the sandbox answered for. */
  sandboxes: Set<string>;
  /** Asked before each request that is sent: rejects when it must not be sent any more. */
  fence?: () => Promise<void>;
}

const scopes = new AsyncLocalStorage<CallScope>();

type ScopeOptions = Pick<CallScope, 'priority'> &
  Partial<Pick<CallScope, 'signal' | 'run' | 'repeats' | 'fence'>>;

const newScope = ({ priority, signal, run, repeats = true, fence }: ScopeOptions): CallScope => ({
  priority,
  repeats,
  signal,
  run,
  calls: new Map(),
  sandboxes: new Set(),
  ...(fence && { fence }),
});

export function inCallScope<T>(options: ScopeOptions, work: (scope: CallScope) => T): T {
  const scope = newScope(options);
  return scopes.run(scope, work, scope);
}

/** The scope of the running work; work that nobody opened one for counts as background. */
export const callScope = (): CallScope => scopes.getStore() ?? newScope({ priority: 'background' });

/** Runs work of this scope whose requests go out only as long as this fence, too, lets them. */
export function withFence<T>(inner: () => Promise<void>, work: () => T): T {
  const scope = callScope();
  const fence = async () => {
    await scope.fence?.();
    await inner();
  };
  return scopes.run({ ...scope, fence }, work);
}

/** HTTP requests sent to outside systems so far in this scope. */
export function callsMade(): number {
  let sum = 0;
  for (const count of callScope().calls.values()) sum += count;
  return sum;
}
