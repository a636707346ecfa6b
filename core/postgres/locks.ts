/** Locks by name, shared by all processes. PostgreSQL releases them when the holder's connection ends. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../runtime/errors.ts';
import type { Database } from './client.ts';

const maxWaitMs = 30_000;
const retryDelayMs = 200;

/**
 * Holds the lock on a connection of its own: for work that takes longer than a transaction may stay open. Uses no
 * connection while it waits.
 * @throws ServiceError conflict, transient, after 30 seconds
 */
export async function withSessionLock<T>(
  database: Pick<Database, 'sessions'>,
  { name, signal }: { name: string; signal: AbortSignal },
  work: () => Promise<T>,
): Promise<T> {
  const until = Date.now() + maxWaitMs;
  for (;;) {
    const done = await tryWithSessionLock(database, name, work);
    if (done) return done.result;
    if (Date.now() > until) {
      throw new ServiceError('conflict', 'Another job is doing the same work; this one is retried.', {
        transient: true,
        retryAfterSeconds: 5,
      });
    }
    await sleep(retryDelayMs, undefined, { signal });
  }
}

/** Returns undefined at once when another holds the lock. */
export async function tryWithSessionLock<T>(
  database: Pick<Database, 'sessions'>,
  name: string,
  work: () => Promise<T>,
): Promise<{ result: T } | undefined> {
  const client = await database.sessions.connect();
  let isLocked = false;
  try {
    const { rows } = await client.query('select pg_try_advisory_lock(hashtextextended($1, 0)) as locked', [name]);
    isLocked = rows[0]?.locked === true;
    return isLocked ? { result: await work() } : undefined;
  } finally {
    // Ending the connection releases the lock.
    client.release(isLocked);
  }
}
