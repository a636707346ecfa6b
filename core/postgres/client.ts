/** The process's connection pool to PostgreSQL, with drizzle on it; survives restarts of the server. */
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import type { Logger } from 'pino';
import { z } from 'zod';
import { wholeNumber } from '../runtime/config.ts';
import { handlePoolErrors } from './pool-errors.ts';

export interface Database extends NodePgDatabase {
  /** For libraries that take a pool (queues, rate limits). */
  readonly pool: pg.Pool;
  /** Waits for running queries, then ends all connections; a second call waits for the first. */
  close(): Promise<void>;
}

export interface DatabaseOptions {
  url: string;
  poolSize: number;
  logger: Logger;
  /** Shown in `pg_stat_activity`: the process, such as `portal-api`. */
  applicationName: string;
  /** PostgreSQL cancels a statement that runs longer; 0: no limit. Default 30 s. */
  statementTimeoutMs?: number;
}

/** The first query opens a connection, and rejects after 10 s without one. */
export function openDatabase(options: DatabaseOptions): Database {
  const { url, poolSize, logger, applicationName, statementTimeoutMs = 30_000 } = options;
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    application_name: applicationName,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    statement_timeout: statementTimeoutMs,
    // Releases the row locks of a process that hangs in a transaction.
    idle_in_transaction_session_timeout: 60_000,
  });
  handlePoolErrors(pool, reason => logger.warn({ reason }, 'lost a connection to PostgreSQL'));

  const database = drizzle(pool);
  let closed: Promise<void> | undefined;
  return Object.assign(database, {
    pool,
    transaction: transactionOn(pool),
    close: () => {
      closed ??= pool.end();
      return closed;
    },
  });
}

/**
 * Replaces drizzle's `transaction`, which never releases the connection when `begin` fails on it (drizzle-orm 0.45,
 * `node-postgres/session.js`): a few restarts of PostgreSQL would exhaust the pool.
 */
function transactionOn(pool: pg.Pool): NodePgDatabase['transaction'] {
  return async (work, config) => {
    const client = await pool.connect();
    try {
      return await drizzle(client).transaction(work, config);
    } finally {
      const inTransaction = client.getTransactionStatus() !== 'I';
      client.release(inTransaction);
    }
  };
}

export type Db = Pick<NodePgDatabase, 'select' | 'update' | 'insert' | 'delete' | 'execute'>;

export const DatabaseConfig = z.object({
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// or postgresql:// address' })
    .optional()
    .describe('PostgreSQL to use; unset: an embedded one, in DATA_DIR.'),
  DATABASE_POOL: wholeNumber(1, 500).default(10).describe('Connections each process opens to PostgreSQL at most.'),
});

export type DatabaseConfig = z.infer<typeof DatabaseConfig>;
