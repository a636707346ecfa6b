/** `npm start` and single processes on a database that a newer version has migrated: a rollback, or a restart during a rollout. */
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { withConnection } from '../../core/postgres/connection.ts';
import { migrateDatabase } from '../../core/postgres/migrate.ts';
import { freePort } from '../../core/runtime/free-port.ts';
import { linkBrowserFolder, type ServiceProcess, startProcess, stopProcesses } from '../support/processes.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { removeServer, temporaryFolder } from '../support/test-postgres.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** Creation time of the newer migration. */
const createdAt = Date.parse('2040-01-01T00:00:00Z');

let dataDir: string;
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let env: Record<string, string>;
let started: ServiceProcess[] = [];

beforeAll(async () => {
  dataDir = await temporaryFolder();
  linkBrowserFolder(dataDir);
  database = await createTestDatabase('newer');
  await migrateDatabase({ url: database.url, logger: pino({ level: 'silent' }) });
  env = { NODE_ENV: 'development', LOG_LEVEL: 'info', DATA_DIR: dataDir, DATABASE_URL: database.url };
});
beforeEach(async () => {
  env = { ...env, PORT: String(await freePort()), SANDBOX_PORT: String(await freePort()), SCHEDULES_OFF: 'all' };
});
afterEach(async () => {
  await stopProcesses(started);
  started = [];
});
afterAll(async () => {
  await database?.drop();
  await removeServer(dataDir);
});

/** Marks the database as migrated by a newer version. */
async function migrateAsNewer(isAdditive: boolean): Promise<void> {
  await withConnection({ connectionString: database.url }, async client => {
    await client.query('DELETE FROM drizzle.__drizzle_migrations WHERE created_at = $1', [createdAt]);
    await client.query("INSERT INTO drizzle.__drizzle_migrations (hash, created_at) VALUES ('newer', $1)", [createdAt]);
    const change = isAdditive
      ? 'INSERT INTO drizzle.additive_migration VALUES ($1) ON CONFLICT DO NOTHING'
      : 'DELETE FROM drizzle.additive_migration WHERE created_at = $1';
    await client.query(change, [createdAt]);
  });
}

function start(file: string): ServiceProcess {
  const process = startProcess(file, { env, built: true });
  started.push(process);
  return process;
}

describe('after a migration that is not additive', () => {
  beforeAll(() => migrateAsNewer(false));

  it.each(['core/cli/start.ts', 'api/main.ts', 'workers/main.ts', 'workers/scheduler.ts'])(
    '%s ends at its first attempt with exit code 78 and says why',
    async file => {
      const process = start(file);
      expect(await process.ended).toBe(78);
      expect(process.output()).toMatch(
        /1 migration\(s\) that this version .* not additive, .*2040-01-01.*: start a version that has them/,
      );
      expect(process.output()).not.toContain('restarting it');
    },
  );
});

describe('after an additive migration', () => {
  beforeAll(() => migrateAsNewer(true));

  it('npm start starts and says so', async () => {
    const process = start('core/cli/start.ts');
    expect(await fetch(`${await process.ready}/health`)).toMatchObject({ status: 200 });
    expect(process.output()).toContain(
      'the database has 1 additive migration(s) of a newer version; this version can use it',
    );
  });
});
