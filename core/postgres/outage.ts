/** Tells an error that comes of PostgreSQL being away from one that comes of what was asked of it. */
import { DrizzleQueryError } from 'drizzle-orm';

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
