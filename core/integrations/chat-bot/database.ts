/** Short transactions on a PostgreSQL database of another team, with timeouts and our error messages. */
import pg from 'pg';
import type { Logger } from 'pino';
import { handlePoolErrors } from '../../postgres/pool-errors.ts';
import { codeOf } from '../../runtime/error-code.ts';
import { type SystemName, UpstreamError } from '../kit/upstream-error.ts';

const connectMs = 5_000;
const defaultStatementMs = 5_000;
/** A server that no longer responds does not end its statements either: this much later the client ends them. */
const silenceMs = 1_000;

export function openVendorDatabase(url: string, system: SystemName, logger: Logger, statementMs = defaultStatementMs) {
  const pool = new pg.Pool({
    connectionString: url,
    max: 4,
    application_name: 'portal',
    connectionTimeoutMillis: connectMs,
    query_timeout: statementMs + silenceMs,
    idleTimeoutMillis: 30_000,
    allowExitOnIdle: true,
    keepAlive: true,
  });
  handlePoolErrors(pool, reason => logger.warn({ system: system.name, reason }, 'a connection was lost'));

  return {
    /** @throws UpstreamError */
    async transact<T>(access: 'read only' | 'read write', work: (client: pg.ClientBase) => Promise<T>): Promise<T> {
      let client: pg.PoolClient | undefined;
      try {
        client = await pool.connect();
        // Times without a zone are UTC, not in this machine's zone.
        await client.query(`begin ${access}; set local statement_timeout = ${statementMs}; set local time zone 'UTC'`);
        const result = await work(client);
        await client.query('commit');
        client.release();
        return result;
      } catch (error) {
        // Its state is unknown: the pool closes it.
        client?.release(true);
        throw error instanceof UpstreamError ? error : toUpstreamError(system, error);
      }
    },
  };
}

/** Reads PostgreSQL's error codes (manual, appendix A), by class where the class is enough. */
function toUpstreamError({ name, title }: SystemName, cause: unknown): UpstreamError {
  const code = codeOf(cause);
  const failing = { kind: 'failing', system: name, code, cause } as const;
  const isTimeout = cause instanceof Error && /time-?out/i.test(cause.message);
  if (code === '57014' || (code === '' && isTimeout))
    return new UpstreamError('upstream-timeout', `${title} did not answer in time.`, failing);
  if (code.startsWith('53') || code === '57P03')
    return new UpstreamError('upstream-unavailable', `${title} takes no more connections for now.`, failing);
  const rejected = { kind: 'rejected', system: name, code, cause } as const;
  if (code.startsWith('28')) return new UpstreamError('upstream-failed', `${title} rejects our credentials.`, rejected);
  if (/^(3D|42|22)/.test(code))
    return new UpstreamError(
      'upstream-failed',
      `${title} does not have the configured tables and columns, or denies access to them.`,
      rejected,
    );
  return new UpstreamError('upstream-failed', `${title} cannot be reached, or failed.`, failing);
}
