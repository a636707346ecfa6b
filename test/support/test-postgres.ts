/**
 * One PostgreSQL for a whole test run, and databases cloned from a migrated template.
 * As vitest's `globalSetup`, it provides the server to the tests, which create databases with `test-database.ts`.
 */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, rm, statfs } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { pino } from 'pino';
import type { TestProject } from 'vitest/node';
import { runningPostmaster } from '../../core/postgres/embedded/pid-file.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../core/postgres/embedded/server.ts';
import { migrateDatabase } from '../../core/postgres/migrate.ts';

export interface TestServer {
  /** Its role may create databases. */
  url: string;
  /** A database with all migrations and no rows. */
  template: string;
}

export interface TestDatabase {
  url: string;
  /** Terminates open connections first. */
  drop(): Promise<void>;
}

declare module 'vitest' {
  export interface ProvidedContext {
    testServer: TestServer;
  }
}

const logger = pino({ level: 'warn' }, pino.destination(2));

/** Fast; commits survive `kill -9` of the server, but not a power failure. */
export const fastSettings = { fsync: 'off', full_page_writes: 'off' };

/** Environment variable with the folder of a server that was initialised and never used; initialising takes a second. */
const unusedServerVariable = 'PORTAL_TEST_POSTGRES';

/** Starts a server for one test in `dataDir`, or starts it again; without the `globalSetup`, it is initialised first. */
export async function startOwnPostgres(dataDir: string): Promise<EmbeddedPostgres> {
  const { [unusedServerVariable]: unused } = process.env;
  const folder = path.join(dataDir, 'postgres');
  // With the owner, which `fs.cp` would not keep.
  if (unused !== undefined && !existsSync(folder)) await promisify(execFile)('cp', ['-a', unused, folder]);
  return await startEmbeddedPostgres({ dataDir, logger: pino({ level: 'silent' }), extraSettings: fastSettings });
}

/** Vitest's `globalSetup`. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startTestServer();
  project.provide('testServer', { url: server.url, template: server.template });
  return server.stop;
}

/** Uses TEST_DATABASE_URL if set, otherwise starts an embedded PostgreSQL. */
export async function startTestServer(): Promise<TestServer & { stop(): Promise<void> }> {
  const server = await openServer();
  const template = `portal_template_${randomUUID().slice(0, 8)}`;
  await runOn(server.url, `CREATE DATABASE ${template}`);
  await migrateDatabase({ url: databaseUrl(server.url, template), logger });
  return {
    url: server.url,
    template,
    stop: async () => {
      await dropDatabase(server.url, template);
      await server.stop();
    },
  };
}

/** @param name purpose; part of the database name, for PostgreSQL's log and lists */
export async function cloneTestDatabase({ url, template }: TestServer, name: string): Promise<TestDatabase> {
  const database = `test_${name.replaceAll(/\W+/g, '_').toLowerCase().slice(0, 40)}_${randomUUID().slice(0, 8)}`;
  await runOn(url, `CREATE DATABASE ${database} TEMPLATE ${template} STRATEGY file_copy`);
  return { url: databaseUrl(url, database), drop: () => dropDatabase(url, database) };
}

async function openServer(): Promise<{ url: string; stop(): Promise<void> }> {
  const given = process.env.TEST_DATABASE_URL;
  if (given) return { url: given, stop: async () => undefined };

  await removeAbandonedServers();
  const dataDir = await temporaryFolder();
  const settings = { dataDir, logger, extraSettings: fastSettings };
  if (process.platform !== 'win32') await keepUnusedServer(dataDir, await startEmbeddedPostgres(settings));
  const { url } = await startEmbeddedPostgres(settings);
  return { url, stop: () => removeServer(dataDir) };
}

async function keepUnusedServer(dataDir: string, server: EmbeddedPostgres): Promise<void> {
  await server.stop();
  const unused = path.join(dataDir, 'unused');
  await promisify(execFile)('cp', ['-a', path.join(dataDir, 'postgres'), unused]);
  // Each server chooses its own.
  await rm(path.join(unused, 'port'));
  process.env[unusedServerVariable] = unused;
}

/** Uses memory if there is enough: cloning a database takes 10 ms there, up to 300 ms on a disk. */
async function folderForTests(): Promise<string> {
  const memory = '/dev/shm';
  const space = await statfs(memory).catch(() => undefined);
  return space && space.bavail * space.bsize > 1_000_000_000 ? memory : os.tmpdir();
}

/** A folder with this process's id in its name. Other users may enter: started as root, PostgreSQL runs as another user. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(await folderForTests(), `portal-test-${process.pid}-`));
  await chmod(folder, 0o755);
  return folder;
}

/** Stops the server with its data in `dataDir`, if it runs, and removes the folder. */
export async function removeServer(dataDir: string): Promise<void> {
  const data = path.join(dataDir, 'postgres', 'cluster', 'data');
  const postmaster = runningPostmaster(data);
  if (postmaster) process.kill(postmaster.pid, 'SIGQUIT');
  while (runningPostmaster(data)) await wait(10);
  await rm(dataDir, { recursive: true, maxRetries: 10 });
}

/** Removes servers of killed test runs. */
async function removeAbandonedServers(): Promise<void> {
  const parent = await folderForTests();
  for (const name of await readdir(parent)) {
    const owner = Number(/^portal-test-(\d+)-/.exec(name)?.[1]);
    if (!owner || isAlive(owner)) continue;
    const folder = path.join(parent, name);
    try {
      await removeServer(folder);
    } catch (error) {
      logger.warn({ err: error, folder }, 'cannot remove the server of an earlier test run');
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Not `WITH (FORCE)`, which fails while autovacuum runs on the database. */
async function dropDatabase(server: string, database: string): Promise<void> {
  await runOn(
    server,
    `ALTER DATABASE ${database} ALLOW_CONNECTIONS false`,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}' AND usename = current_user`,
    `DROP DATABASE ${database}`,
  );
}

async function runOn(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

function databaseUrl(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}
