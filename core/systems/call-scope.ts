/**
 * On whose behalf outside systems are called: a request, whose caller waits, or a run of a job. It travels with the
 * work by itself, so that no connector passes priority, signal and counters through every verb.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

export interface CallScope {
  /** Interactive calls go before background work where a system limits us. */
  priority: 'interactive' | 'background';
  /** Ends waiting and calls in flight. */
  signal: AbortSignal | undefined;
  /** The job and its run, when it is one. */
  run: { jobId: string; runId: string } | undefined;
  /** HTTP requests sent to each system, repeats included. */
  calls: Map<string, number>;
  /** The systems that the sandbox answered for. */
  sandboxes: Set<string>;
}

const scopes = new AsyncLocalStorage<CallScope>();

type ScopeOptions = Pick<CallScope, 'priority'> & Partial<Pick<CallScope, 'signal' | 'run'>>;

const newScope = ({ priority, signal, run }: ScopeOptions): CallScope => ({
  priority,
  signal,
  run,
  calls: new Map(),
  sandboxes: new Set(),
});

export function inCallScope<T>(options: ScopeOptions, work: (scope: CallScope) => T): T {
  const scope = newScope(options);
  return scopes.run(scope, work, scope);
}

/** The scope of the running work; work that nobody opened one for counts as background. */
export const callScope = (): CallScope => scopes.getStore() ?? newScope({ priority: 'background' });

/** HTTP requests sent to outside systems so far in this scope. */
export function callsMade(): number {
  let sum = 0;
  for (const count of callScope().calls.values()) sum += count;
  return sum;
}
