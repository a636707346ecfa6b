/** Keeps a process alive when connections of a pool to PostgreSQL are lost. */

import { DrizzleQueryError } from 'drizzle-orm';
import type { Pool } from 'pg';
import { withoutLogContext } from '../telemetry/log-context.ts';

/**
 * Without these listeners, a lost connection would end the process: idle ones report to the pool, and ones in the
 * middle of a transaction to themselves only. The pool drops them, and the next query opens another.
 * @param tell is given the reason, not the error: the pool hangs the client on it, password included
 */
export function handlePoolErrors(pool: Pool, tell: (reason: string) => void): void {
  pool.on('connect', client => {
    client.on(
      'error',
      withoutLogContext(({ message }: Error) => tell(message)),
    );
  });
  pool.on('error', () => {
    // Told already by the connection's own listener.
  });
}

/** PostgreSQL's manual, appendix A: it shuts down, crashed or starts up; the connection failed. */
const codes = /^(57P0[123]|08\w{3})$/;
/** What `pg` says of a connection that ended under a query; it has no code. */
const lost = /^(Connection terminated|timeout exceeded when trying to connect)/;
/** Of the network: they count only where it was our database that was called. */
const unreachable = /^(ECONNREFUSED|ECONNRESET|EPIPE|ENOENT)$/;

export function isOutage(error: unknown): boolean {
  const asked = error instanceof DrizzleQueryError;
  const cause = asked ? error.cause : error;
  if (!(cause instanceof Error)) return false;
  const code = 'code' in cause ? String(cause.code) : '';
  return codes.test(code) || lost.test(cause.message) || (asked && unreachable.test(code));
}
