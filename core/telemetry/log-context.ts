/** Which request or job the running code works for; it travels with the work by itself, into every line of the log. */
import { AsyncLocalStorage } from 'node:async_hooks';

export interface WorkIds {
  requestId?: string;
  jobId?: string;
}

const scopes = new AsyncLocalStorage<Readonly<WorkIds>>();

const nobodys: Readonly<WorkIds> = {};

/** Runs the work for these; what an outer scope says besides stays. */
export const workingFor = <T>(ids: WorkIds, work: () => T): T =>
  scopes.run({ ...scopes.getStore(), ...ids }, work);

/**
 * For what is told of a connection, a browser, a queue: they live on when the work that opened them is over, but Node.js
 * goes on in its name whenever something happens to them.
 */
export const ofNobody =
  <A extends unknown[]>(tell: (...told: A) => void): ((...told: A) => void) =>
  (...told) =>
    scopes.run(nobodys, () => tell(...told));

/** Nothing outside of any request or job. */
export const workIds = (): Readonly<WorkIds> => scopes.getStore() ?? nobodys;
