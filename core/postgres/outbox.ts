/** Shared by outbox tables (callbacks, notifications): a row is claimed for one try, and the try has an outcome. */
import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';

/** Counts the try. Another process may claim the row after the lease. */
export const claimTry = ({ tries }: { tries: PgColumn }, leaseSeconds: number) => ({
  tries: sql<number>`${tries} + 1`,
  nextTryAt: sql<Date>`now() + ${leaseSeconds} * interval '1 second'`,
});

/** @param error null: delivered @param nextTryAt undefined: no further try */
export const tryOutcome = (error: string | null, nextTryAt: Date | SQL | undefined) => ({
  state: stateAfter(error, nextTryAt !== undefined),
  lastError: error,
  deliveredAt: error === null ? sql`now()` : null,
  ...(nextTryAt && { nextTryAt }),
});

export function stateAfter(error: string | null, hasNextTry: boolean): 'pending' | 'delivered' | 'failed' {
  if (error === null) return 'delivered';
  return hasNextTry ? 'pending' : 'failed';
}
