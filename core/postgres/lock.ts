/** A lock by name that all processes share, held for the time of some work. */
import { sql } from 'drizzle-orm';
import type { Database } from './client.ts';

/** One at a time for each name; the lock goes with the connection, so that nobody dies holding it. */
export function withLock<T>(database: Database, name: string, work: () => Promise<T>): Promise<T> {
  return database.transaction(async transaction => {
    await transaction.execute(sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`);
    return work();
  });
}
