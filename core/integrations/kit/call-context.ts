/**
 * The request or job run on whose behalf vendor systems are called. It travels in an AsyncLocalStorage, so that
 * connectors need no parameters for priority, signal and counters.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

export interface CallContext {
  /** Interactive calls go before background work where a vendor limits our rate. */
  priority: 'interactive' | 'background';
  /** Whether failed calls are retried; false where the present state of a system is measured. */
  retries: boolean;
  /** Ends waits and calls in flight. */
  signal: AbortSignal | undefined;
  /** Set for job runs. */
  run: { jobId: string; runId: string } | undefined;
  /** HTTP requests sent to each system, retries included. */
  calls: Map<string, number>;
  /** The systems for which the sandbox answered. */
  sandboxes: Set<string>;
  /** Called before each request; rejects when the request must not be sent any more. */
  fence?: () => Promise<void>;
}

type ContextOptions = Pick<CallContext, 'priority'> &
  Partial<Pick<CallContext, 'signal' | 'run' | 'retries' | 'fence'>>;

const contexts = new AsyncLocalStorage<CallContext>();

export function withCallContext<T>(options: ContextOptions, work: (context: CallContext) => T): T {
  const context = newContext(options);
  return contexts.run(context, work, context);
}

/** The context of the running work; without one, the work counts as background. */
export const callContext = (): CallContext => contexts.getStore() ?? newContext({ priority: 'background' });

/** Adds a fence to the fence of the present context, if it has one. */
export function withFence<T>(inner: () => Promise<void>, work: () => T): T {
  const context = callContext();
  const fence = async () => {
    await context.fence?.();
    await inner();
  };
  return contexts.run({ ...context, fence }, work);
}

/** HTTP requests sent to vendor systems so far in this context. */
export const callsMade = (): number =>
  [...callContext().calls.values()].reduce((sum, count) => sum + count, 0);

const newContext = ({ priority, signal, run, retries = true, fence }: ContextOptions): CallContext => ({
  ...{ priority, retries, signal, run, calls: new Map(), sandboxes: new Set() },
  ...(fence && { fence }),
});
