/** Lost connections: keeps the process alive, and recognises errors caused by an outage of the database. */
import { DrizzleQueryError } from 'drizzle-orm';
import type { Pool } from 'pg';
import { codeOf } from '../runtime/error-code.ts';
import { withoutLogContext } from '../telemetry/log-context.ts';

/**
 * PostgreSQL manual, appendix A: shut down, crashed or starting up; connection exceptions; no free connection; read-only, as
 * a server is that was a primary before a failover.
 */
const outageCodes = /^(57P0[123]|08\w{3}|53300|25006)$/;
/** Errors without a code that `pg` raises for a lost connection. */
const lostConnection = /^(Connection terminated|timeout exceeded when trying to connect)/;
/** Network errors; relevant only when the database was called. */
const networkCodes = /^(ECONNREFUSED|ECONNRESET|EPIPE|ENOENT)$/;

/**
 * Without these listeners a lost connection would end the process: idle connections report to the pool, connections in
 * a transaction to themselves only. The pool drops them, and the next query opens another.
 * @param onLost gets the reason only: the error refers to the client, which holds the password
 */
export function handlePoolErrors(pool: Pool, onLost: (reason: string) => void): void {
  pool.on('connect', client => {
    client.on(
      'error',
      withoutLogContext(({ message }: Error) => onLost(message)),
    );
  });
  // Already reported by the connection's own listener.
  pool.on('error', () => undefined);
}

/** Whether the error of a query means that PostgreSQL was unavailable. */
export const isQueryOutage = (error: unknown): boolean =>
  isServerOutage(error) || (error instanceof Error && networkCodes.test(codeOf(error)));

/** Whether the error, or the error of one of our queries that it reports, means that PostgreSQL was unavailable. */
export const isOutage = (error: unknown): boolean => isServerOutage(error) || reportsOutage(error);

/** Follows the errors of our queries only: an outside system may be a PostgreSQL as well. */
function reportsOutage(error: unknown): boolean {
  if (error instanceof DrizzleQueryError) return isQueryOutage(error.cause);
  const parts: unknown[] = error instanceof AggregateError ? error.errors : [];
  return parts.some(reportsOutage) || (error instanceof Error && reportsOutage(error.cause));
}

/** Whether the error or one of its causes means that PostgreSQL was unavailable. */
export function isCausedByOutage(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (isQueryOutage(cause)) return true;
  return false;
}

const isServerOutage = (error: unknown): boolean =>
  error instanceof Error && (outageCodes.test(codeOf(error)) || lostConnection.test(error.message));
