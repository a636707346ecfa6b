/** Which request or job the running code works for; it travels with the work by itself, into every line of the log. */
import { AsyncLocalStorage } from 'node:async_hooks';

export interface LogContext {
  requestId?: string;
  jobId?: string;
}

const scopes = new AsyncLocalStorage<Readonly<LogContext>>();

const nobodys: Readonly<LogContext> = {};

/** Runs the work for these; what an outer scope says besides stays. */
export const withLogContext = <T>(ids: LogContext, work: () => T): T =>
  scopes.run({ ...scopes.getStore(), ...ids }, work);

/**
 * For what is told of a connection, a browser, a queue: they live on when the work that opened them is over, but Node.js
 * goes on in its name whenever something happens to them.
 */
export const withoutLogContext =
  <A extends unknown[]>(tell: (...told: A) => void): ((...told: A) => void) =>
  (...told) =>
    scopes.run(nobodys, () => tell(...told));

/** Nothing outside of any request or job. */
export const logContext = (): Readonly<LogContext> => scopes.getStore() ?? nobodys;
