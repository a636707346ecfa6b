/** The request and job that the running code works for; follows the work through promises and timers into the log. */
import { AsyncLocalStorage } from 'node:async_hooks';

export interface LogContext {
  requestId?: string;
  jobId?: string;
}

const storage = new AsyncLocalStorage<Readonly<LogContext>>();
const empty: Readonly<LogContext> = {};

/** Runs the work with these ids added to those of the outer context. */
export const withLogContext = <T>(ids: LogContext, work: () => T): T =>
  storage.run({ ...storage.getStore(), ...ids }, work);

/**
 * For listeners of connections, browsers and queues: these outlive the work that opened them, but Node.js calls their
 * listeners in its context.
 */
export const withoutLogContext =
  <A extends unknown[]>(listener: (...args: A) => void): ((...args: A) => void) =>
  (...args) =>
    storage.run(empty, () => listener(...args));

/** Empty outside of any request or job. */
export const logContext = (): Readonly<LogContext> => storage.getStore() ?? empty;
