/** Short transactions on somebody else's PostgreSQL: bounded in time, and what goes wrong told in our words. */
import pg from 'pg';
import type { Logger } from 'pino';
import { surviveLostConnections } from '../../postgres/pool-errors.ts';
import { type SystemName, UpstreamError } from '../kit/upstream-error.ts';

export interface ForeignDatabase {
  /** @throws UpstreamError */
  transact<T>(access: 'read only' | 'read write', work: (client: pg.ClientBase) => Promise<T>): Promise<T>;
}

const connectMs = 5_000;
const defaultStatementMs = 5_000;
/** A server that has gone silent does not end its statements either: after this much longer we do. */
const silenceMs = 1_000;

export function openForeignDatabase(
  url: string,
  system: SystemName,
  logger: Logger,
  statementMs = defaultStatementMs,
): ForeignDatabase {
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
  surviveLostConnections(pool, reason =>
    logger.warn({ system: system.name, reason }, 'a connection was lost'),
  );

  return {
    async transact(access, work) {
      let client: pg.PoolClient | undefined;
      try {
        client = await pool.connect();
        // In UTC, so that times without a zone are not taken for this machine's.
        await client.query(
          `begin ${access}; set local statement_timeout = ${statementMs}; set local time zone 'UTC'`,
        );
        const result = await work(client);
        await client.query('commit');
        client.release();
        return result;
      } catch (error) {
        // Whatever state it is in, nobody takes it up again.
        client?.release(true);
        throw error instanceof UpstreamError ? error : faultOf(system, error);
      }
    },
  };
}

/** PostgreSQL's error codes (its manual, appendix A), by class where the class tells enough. */
function faultOf({ name, title }: SystemName, error: unknown): UpstreamError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const passing = { system: name, code, passing: true, mayHaveRun: true, down: true, cause: error };
  if (code === '57014' || (code === '' && isTimeout(error)))
    return new UpstreamError('upstream-timeout', `${title} did not answer in time.`, passing);
  if (code.startsWith('53') || code === '57P03')
    return new UpstreamError('upstream-unavailable', `${title} takes no more connections for now.`, passing);
  const refused = { system: name, code, passing: false, mayHaveRun: false, cause: error };
  if (code.startsWith('28'))
    return new UpstreamError('upstream-failed', `${title} refuses our credentials.`, refused);
  if (/^(3D|42|22)/.test(code))
    return new UpstreamError(
      'upstream-failed',
      `${title} does not have what we are set to look for, or does not let us at it.`,
      refused,
    );
  return new UpstreamError('upstream-failed', `${title} cannot be reached, or failed.`, passing);
}

const isTimeout = (error: unknown): boolean => error instanceof Error && /time-?out/i.test(error.message);
