/**
 * Records the current version as a release, for upgrade tests of later versions. Run it once for each release, in its
 * checkout, and commit the folder it writes.
 *
 *     npx tsx test/support/releases/record.ts 0.2 && npm run format
 *
 * It starts the service, runs jobs, leaves waiting jobs in both queue backends, stops the service, and writes the
 * contents of the database, of Redis and of the result store.
 */
import { createHash, randomUUID } from 'node:crypto';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Redis } from 'ioredis';
import pg from 'pg';
import { pino } from 'pino';
import { z } from 'zod';
import { startEmbeddedPostgres } from '../../../core/postgres/embedded/server.ts';
import { extensions } from '../../../core/postgres/migrate.ts';
import { rootFolder } from '../../../core/runtime/discover.ts';
import { linkBrowserFolder, type ServiceProcess, startProcess, stopProcesses } from '../processes.ts';
import { type Sandbox, startSandbox } from '../sandbox.ts';
import { fastSettings, removeServer, temporaryFolder } from '../test-postgres.ts';
import { startRedis } from '../test-redis.ts';
import { exerciseService, type Service, submitWaitingJobs } from './exercise-service.ts';
import { type RedisKey, readKeys } from './redis-keys.ts';
import { readTables, type TableRows } from './table-rows.ts';

/** Maximum number of recorded rows in each mirror table. */
const maxMirrorRows = 12;

const Journal = z.object({ entries: z.array(z.object({ tag: z.string(), when: z.number() })) });

const [, , version] = process.argv;
if (version === undefined || !/^\d+\.\d+$/.test(version))
  throw new Error('Pass the version of the release, such as 0.2.');
const folder = path.join(import.meta.dirname, version);

const dataDir = await temporaryFolder();
const sandbox = await startSandbox();
const redis = await startRedis();
const processes: ServiceProcess[] = [];
try {
  await record(sandbox);
} finally {
  await stopProcesses(processes);
  await sandbox.close();
  await redis.stop();
  await removeServer(dataDir);
}

async function record(systems: Sandbox): Promise<void> {
  linkBrowserFolder(dataDir);
  const postgres = { dataDir, logger: pino({ level: 'silent' }), extraSettings: fastSettings };
  const { url: databaseUrl } = await startEmbeddedPostgres(postgres);
  const secret = randomUUID();
  const env = {
    NODE_ENV: 'development',
    LOG_LEVEL: 'info',
    PORT: '0',
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    SANDBOX_PORT: new URL(systems.url).port,
    PUBLIC_URL: 'https://portal.example',
    CALLBACK_RETRY_SECONDS: '86400,86400',
    SCHEDULES_OFF: 'all',
    CRM_REQUESTS_PER_SECOND: '100',
    CRM_REQUEST_BURST: '10000',
    BOOTSTRAP_CLIENT_ID: 'portal',
    BOOTSTRAP_CLIENT_SECRET: secret,
  };

  const start = (file: string, more: Record<string, string> = {}): ServiceProcess => {
    const started = startProcess(file, { env: { ...env, ...more } });
    processes.push(started);
    return started;
  };
  const api = start('api/main.ts');
  const service = await openService(await api.ready, secret);
  const worker = start('workers/main.ts');
  const scheduler = start('workers/scheduler.ts');
  await Promise.all([worker.ready, scheduler.ready]);
  const data = await exerciseService(service, systems);
  await stopProcesses([worker, scheduler]);
  const onPostgres = await submitWaitingJobs(service);
  await stopProcesses([api]);

  const second = start('api/main.ts', { REDIS_URL: redis.url });
  const onRedis = await submitWaitingJobs({ ...service, base: `${await second.ready}/v2` });
  await stopProcesses([second]);

  await mkdir(path.join(folder, 'results'), { recursive: true });
  await writeFile(path.join(folder, 'schema.sql'), await schemaText());
  await write('tables.json', await databaseContents(databaseUrl));
  await write('redis.json', await redisContents());
  await write('release.json', {
    version,
    recordedAt: new Date().toISOString(),
    migrations: await migrations(),
    accessToken: service.token,
    clientSecret: secret,
    kept: data,
    waiting: { postgres: onPostgres, redis: onRedis },
  });
  const results = path.join(dataDir, 'results');
  for (const file of await readdir(results, { recursive: true })) {
    if (file.includes(data.previewJob))
      await cp(path.join(results, file), path.join(folder, 'results', file), { recursive: true });
  }
}

/** The migrations and functions of this version, and the rows that record them as applied. */
async function schemaText(): Promise<string> {
  const source = path.join(rootFolder, 'core/postgres/migrations');
  const { entries } = Journal.parse(JSON.parse(await readFile(path.join(source, 'meta/_journal.json'), 'utf8')));
  const files = [...entries.map(({ tag }) => `${tag}.sql`), 'functions.sql'];
  const texts = await Promise.all(files.map(file => readFile(path.join(source, file), 'utf8')));
  return [
    ...extensions.map(name => `CREATE EXTENSION IF NOT EXISTS ${name};`),
    ...texts,
    'CREATE SCHEMA drizzle;',
    'CREATE TABLE drizzle.__drizzle_migrations (id serial PRIMARY KEY, hash text NOT NULL, created_at bigint);',
    `INSERT INTO drizzle.__drizzle_migrations (hash, created_at) VALUES ${entries.map(({ when }) => `('', ${when})`).join(', ')};`,
  ].join('\n');
}

async function databaseContents(databaseUrl: string): Promise<TableRows[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await shortenMirrors(client);
  // BullMQ writes its schema version when it creates its tables.
  const tables = (await readTables(client, ['public', 'bullmq'])).filter(({ table }) => table !== 'bullmq.migration');
  await printEmptyTables(
    client,
    tables.map(({ table }) => table),
  );
  await client.end();
  return tables;
}

async function redisContents(): Promise<RedisKey[]> {
  const connection = new Redis(redis.url);
  const keys = await readKeys(connection);
  connection.disconnect();
  return keys;
}

async function write(name: string, value: unknown): Promise<void> {
  await writeFile(path.join(folder, name), `${JSON.stringify(value, null, 1)}\n`);
}

async function openService(origin: string, secret: string): Promise<Service> {
  const base = `${origin}/v2`;
  const response = await fetch(`${base}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`portal:${secret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  return { base, token: z.object({ access_token: z.string() }).parse(await response.json()).access_token };
}

/** The release's migrations with their hashes: a released migration must not change. */
async function migrations(): Promise<{ tag: string; sha256: string }[]> {
  const source = path.join(rootFolder, 'core/postgres/migrations');
  const { entries } = Journal.parse(JSON.parse(await readFile(path.join(source, 'meta/_journal.json'), 'utf8')));
  return await Promise.all(
    entries.map(async ({ tag }) => ({
      tag,
      sha256: createHash('sha256')
        .update(await readFile(path.join(source, `${tag}.sql`)))
        .digest('hex'),
    })),
  );
}

async function shortenMirrors(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ table: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS "table" FROM pg_tables
      WHERE schemaname = 'public' AND tablename NOT LIKE 'job%' AND tablename NOT LIKE 'oauth%'`,
  );
  // Rows that other tables refer to cannot be deleted first: a second round deletes them.
  for (const { table } of [...rows, ...rows]) {
    await client.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
    await client
      .query(`DELETE FROM ${table} WHERE ctid NOT IN (SELECT ctid FROM ${table} ORDER BY 1 LIMIT ${maxMirrorRows})`)
      .catch((error: unknown) => process.stdout.write(`${table} is not shortened: ${error}\n`));
    await client.query(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
  }
}

async function printEmptyTables(client: pg.Client, filled: readonly string[]): Promise<void> {
  const { rows } = await client.query<{ table: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS "table" FROM pg_tables WHERE schemaname = 'public'`,
  );
  const empty = rows.map(({ table }) => table).filter(table => !filled.includes(table));
  process.stdout.write(`Tables without rows: ${empty.join(', ') || 'none'}\n`);
}
