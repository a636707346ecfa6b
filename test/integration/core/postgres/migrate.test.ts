import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'drizzle-orm';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Database, openDatabase } from '../../../../core/postgres/client.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../../core/postgres/embedded/server.ts';
import { migrateDatabase } from '../../../../core/postgres/migrate.ts';
import { fastSettings, removeServer, temporaryFolder } from '../../../support/test-postgres.ts';

vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 });

const logger = pino({ level: 'silent' });

let root: string;
let server: EmbeddedPostgres;
let database: Database;

beforeAll(async () => {
  root = await temporaryFolder();
  server = await startEmbeddedPostgres({ dataDir: root, logger, extraSettings: fastSettings });
  database = openDatabase({ url: server.url, poolSize: 1, logger, applicationName: 'test' });
});
afterAll(async () => {
  await database.close();
  await removeServer(root);
});
beforeEach(async () => {
  await database.execute(sql`DROP SCHEMA public CASCADE`);
  await database.execute(sql`DROP SCHEMA IF EXISTS drizzle CASCADE`);
  await database.execute(sql`CREATE SCHEMA public`);
});

/** A folder as drizzle-kit writes it, with the creation time of each migration. @param first the first line of each */
async function folderOf(
  name: string,
  migrations: Readonly<Record<string, number>>,
  first = '-- breaking: a test',
): Promise<string> {
  const folder = path.join(root, name);
  await mkdir(path.join(folder, 'meta'), { recursive: true });
  const entries = Object.entries(migrations).map(([tag, when], idx) => ({
    idx,
    version: '7',
    when,
    tag,
    breakpoints: true,
  }));
  for (const { tag } of entries)
    await writeFile(path.join(folder, `${tag}.sql`), `${first}\nCREATE TABLE ${tag} (n int);`);
  await writeFile(path.join(folder, 'functions.sql'), functionOf(name));
  await writeFile(
    path.join(folder, 'meta', '_journal.json'),
    JSON.stringify({ version: '7', dialect: 'postgresql', entries }),
  );
  return folder;
}

/** A function whose result names the folder. */
const functionOf = (name: string) =>
  `CREATE OR REPLACE FUNCTION version() RETURNS text LANGUAGE sql AS $$ SELECT '${name}' $$;`;

async function functionsOf(): Promise<unknown> {
  const { rows } = await database.execute(sql`SELECT public.version() AS version`);
  return rows[0]?.version;
}

const migrateFrom = (folder: string) => migrateDatabase({ url: server.url, logger, folder });

async function tables(): Promise<unknown[]> {
  const { rows } = await database.execute(
    sql`SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename`,
  );
  return rows.map(row => row.tablename);
}

describe('migrateDatabase', () => {
  it('applies migrations once when eight clients start at the same time', async () => {
    const folder = await folderOf('at-once', { first: 1_000, second: 2_000 });
    await Promise.all(Array.from({ length: 8 }, () => migrateFrom(folder)));
    expect(await tables()).toEqual(['first', 'second']);
    const { rows } = await database.execute(sql`SELECT count(*)::int AS n FROM drizzle.__drizzle_migrations`);
    expect(rows).toEqual([{ n: 2 }]);
  });

  it('applies only the pending migrations', async () => {
    await migrateFrom(await folderOf('before', { first: 1_000 }));
    await migrateFrom(await folderOf('after', { first: 1_000, second: 2_000 }));
    expect(await tables()).toEqual(['first', 'second']);
  });

  it('rolls back all migrations when one fails', async () => {
    const folder = await folderOf('broken', { first: 1_000, second: 2_000 });
    await writeFile(path.join(folder, 'second.sql'), 'CREATE TABLE first (n int);');
    await expect(migrateFrom(folder)).rejects.toThrow();
    expect(await tables()).toEqual([]);
  });

  it('rejects a database with a newer migration that is not additive', async () => {
    await migrateFrom(await folderOf('newer', { first: 1_000, second: 2_000 }));
    await expect(migrateFrom(await folderOf('older', { first: 1_000 }))).rejects.toThrow(
      /1 migration\(s\) that this version.* not additive.*1970-01-01T00:00:02.*start a version that has them/,
    );
  });

  it('accepts a database whose newer migrations are all additive, and leaves its functions', async () => {
    const newer = await folderOf('additive', { first: 1_000, second: 2_000, third: 3_000 }, '-- additive');
    await migrateFrom(newer);
    await migrateFrom(await folderOf('before-additive', { first: 1_000 }));
    expect([await tables(), await functionsOf()]).toEqual([['first', 'second', 'third'], 'additive']);
  });

  it('accepts them also when the process that applied them ended at once', async () => {
    const newer = await folderOf('interrupted', { first: 1_000, second: 2_000 }, '-- additive');
    await writeFile(path.join(newer, 'functions.sql'), 'SELECT no_such_column;');
    await expect(migrateFrom(newer)).rejects.toThrow();
    expect(await tables()).toEqual(['first', 'second']);
    await expect(migrateFrom(await folderOf('before-interrupted', { first: 1_000 }))).resolves.toBeUndefined();
  });

  it('replaces the functions when they changed, also without a migration', async () => {
    await migrateFrom(await folderOf('one', { first: 1_000 }));
    await migrateFrom(await folderOf('two', { first: 1_000 }));
    expect(await functionsOf()).toBe('two');
  });

  it('changes no function when the file of functions has an error', async () => {
    await migrateFrom(await folderOf('good', { first: 1_000 }));
    const bad = await folderOf('bad', { first: 1_000 });
    await writeFile(path.join(bad, 'functions.sql'), `${functionOf('bad')}\nSELECT no_such_column;`);
    await expect(migrateFrom(bad)).rejects.toThrow(/no_such_column/);
    expect(await functionsOf()).toBe('good');
  });

  it('rejects a database of 0.x, and names the command that imports it', async () => {
    await migrateFrom(await folderOf('of-0x', { first: 1_795_234_736_351 }));
    await expect(migrateFrom(await folderOf('of-1', { first: 1_000 }))).rejects.toThrow(/npm run import-0x/);
  });

  it('rejects a pending migration that is older than an applied one, which drizzle would skip', async () => {
    await migrateFrom(await folderOf('ours', { first: 1_000, third: 3_000 }));
    const merged = await folderOf('merged', { first: 1_000, second: 2_000, third: 3_000 });
    await expect(migrateFrom(merged)).rejects.toThrow(/Migration second is older.*generate it again/);
  });

  it('rejects a folder without migrations and names the command that generates them', () =>
    expect(migrateFrom(path.join(root, 'nowhere'))).rejects.toThrow(/no migrations.*drizzle-kit generate/));
});
