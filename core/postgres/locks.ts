/** A lock by name for work that takes longer than a transaction may stay open: it goes with a connection of its own. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { ServiceError } from '../runtime/errors.ts';
import type { Database } from './client.ts';

/** How long somebody else's lock is waited for, in ms, and how often it is asked for. */
const patienceMs = 30_000;
const askAgainMs = 200;

/**
 * One at a time for each name in all processes; who dies lets go. Whoever waits holds no connection meanwhile.
 * @throws ServiceError conflict, passing, when the lock is not to be had for too long
 */
export async function withSessionLock<T>(
  database: Database,
  { name, signal }: { name: string; signal: AbortSignal },
  work: () => Promise<T>,
): Promise<T> {
  const until = Date.now() + patienceMs;
  for (;;) {
    const done = await withLockIfFree(database, name, work);
    if (done) return done.result;
    if (Date.now() > until) throw heldTooLong();
    await sleep(askAgainMs, undefined, { signal });
  }
}

/** Undefined when somebody else holds the lock. */
export async function withLockIfFree<T>(
  database: Database,
  name: string,
  work: () => Promise<T>,
): Promise<{ result: T } | undefined> {
  const client = await database.pool.connect();
  let isOurs = false;
  try {
    const { rows } = await client.query('select pg_try_advisory_lock(hashtextextended($1, 0)) as ours', [
      name,
    ]);
    isOurs = rows[0]?.ours === true;
    return isOurs ? { result: await work() } : undefined;
  } finally {
    // A connection that ends takes its lock along.
    client.release(isOurs);
  }
}

const heldTooLong = (): ServiceError =>
  new ServiceError('conflict', 'The same is being done by another job; this one is tried again.', {
    transient: true,
    retryAfterSeconds: 5,
  });

/** One at a time for each name; the lock goes with the connection, so that nobody dies holding it. */
export function withLock<T>(database: Database, name: string, work: () => Promise<T>): Promise<T> {
  return database.transaction(async transaction => {
    await transaction.execute(sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`);
    return work();
  });
}
