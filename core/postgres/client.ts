/** The process's connection pool to PostgreSQL, with drizzle on it; survives restarts of the server. */
import { DrizzleQueryError } from 'drizzle-orm';
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import type { Logger } from 'pino';
import { z } from 'zod';
import { wholeNumber } from '../runtime/config.ts';
import { sessionConnections } from './connections.ts';
import { handlePoolErrors, isOutage } from './pool-errors.ts';

export interface Database extends NodePgDatabase {
  /** For libraries that take a pool (queues, rate limits). */
  readonly pool: pg.Pool;
  /** Connections that keep their session, for session locks: those of the pool, unless it is behind a pooler. */
  readonly sessions: pg.Pool;
  /** For LISTEN, which needs a session too. */
  readonly directUrl: string;
  /** Waits for running queries, then ends all connections; a second call waits for the first. */
  close(): Promise<void>;
}

export interface DatabaseAddress {
  /** The address of PostgreSQL, or of a pooler in transaction mode before it. */
  url: string;
  /** The address of PostgreSQL itself. */
  directUrl: string;
}

export interface DatabaseOptions extends Pick<DatabaseAddress, 'url'> {
  /** Default: `url`, without a pooler. */
  directUrl?: string;
  poolSize: number;
  logger: Logger;
  /** Shown in `pg_stat_activity`; of a process of the service: `connectionName`. */
  applicationName: string;
  /** PostgreSQL cancels a statement that runs longer; 0: no limit. Default 30 s. */
  statementTimeoutMs?: number;
}

/** The first query opens a connection, and rejects after 10 s without one. */
export function openDatabase(options: DatabaseOptions): Database {
  const { url, directUrl = url, poolSize, logger, applicationName, statementTimeoutMs = 30_000 } = options;
  const isPooled = directUrl !== url;
  const timeouts = {
    statement_timeout: statementTimeoutMs,
    // Releases the row locks of a process that hangs in a transaction.
    idle_in_transaction_session_timeout: 60_000,
  };
  const openPool = (settings: pg.PoolConfig): pg.Pool => {
    const opened = new pg.Pool({
      application_name: applicationName,
      connectionTimeoutMillis: 10_000,
      idleTimeoutMillis: 30_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      ...settings,
    });
    handlePoolErrors(opened, reason => logger.warn({ reason }, 'lost a connection to PostgreSQL'));
    return opened;
  };
  // PgBouncer rejects timeouts as start-up parameters; its `connect_query` sets them (docs/production.md).
  const pool = openPool({ connectionString: url, max: poolSize, ...(isPooled ? {} : timeouts) });
  if (isPooled) pool.on('connect', withoutNamedStatements);
  const sessions = isPooled ? openPool({ connectionString: directUrl, max: sessionConnections, ...timeouts }) : pool;

  const database = drizzle(pool);
  let closed: Promise<void> | undefined;
  return Object.assign(database, {
    pool,
    sessions,
    directUrl,
    transaction: transactionOn(pool),
    close: () => {
      closed ??= Promise.all([...new Set([pool, sessions])].map(each => each.end())).then(() => undefined);
      return closed;
    },
  });
}

/** A pooler gives each transaction another session, which lacks the statements that earlier ones prepared. */
function withoutNamedStatements(client: pg.PoolClient): void {
  const { query } = client;
  const isNamed = (given: unknown): given is object =>
    typeof given === 'object' && given !== null && 'name' in given && !('submit' in given);
  Object.assign(client, {
    query: (given: unknown, ...rest: unknown[]) =>
      Reflect.apply(query, client, [isNamed(given) ? { ...given, name: undefined } : given, ...rest]),
  });
}

/**
 * Replaces drizzle's `transaction`, which never releases the connection when `begin` fails on it (drizzle-orm 0.45,
 * `node-postgres/session.js`): a few restarts of PostgreSQL would exhaust the pool.
 */
function transactionOn(pool: pg.Pool): NodePgDatabase['transaction'] {
  return async (work, config) => {
    const client = await pool.connect().catch(error => {
      // As drizzle reports a query, so that an outage of the database is recognised.
      throw new DrizzleQueryError('begin', [], error);
    });
    let isOfNoUse = false;
    try {
      return await drizzle(client).transaction(work, config);
    } catch (error) {
      // A connection to a server that has become read-only is closed, as `query` of the pool does.
      isOfNoUse = isOutage(error);
      throw error;
    } finally {
      client.release(isOfNoUse || client.getTransactionStatus() !== 'I');
    }
  };
}

export type Db = Pick<NodePgDatabase, 'select' | 'update' | 'insert' | 'delete' | 'execute' | 'with' | '$with'>;

const postgresUrl = z.url({
  protocol: /^postgres(ql)?$/,
  error: 'must be a postgres:// or postgresql:// address',
});

export const DatabaseConfig = z.object({
  DATABASE_URL: postgresUrl.optional().describe('PostgreSQL to use; unset: an embedded one, in DATA_DIR.'),
  DATABASE_DIRECT_URL: postgresUrl
    .optional()
    .describe(
      'Address of PostgreSQL itself, when DATABASE_URL is that of a pooler in transaction mode, such as PgBouncer.',
    ),
  DATABASE_POOL: wholeNumber(1, 500).default(10).describe('Connections each process opens to DATABASE_URL at most.'),
});

export type DatabaseConfig = z.infer<typeof DatabaseConfig>;

/** Undefined: the embedded PostgreSQL. */
export function configuredDatabase(config: Partial<DatabaseConfig>): DatabaseAddress | undefined {
  const { DATABASE_DIRECT_URL, DATABASE_URL: url = DATABASE_DIRECT_URL } = config;
  return url === undefined ? undefined : { url, directUrl: DATABASE_DIRECT_URL ?? url };
}
