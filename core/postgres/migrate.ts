/** Applies the database migrations; safe in several processes at once. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { cp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import pg from 'pg';
import type { Logger } from 'pino';
import { z } from 'zod';
import { rootFolder } from '../runtime/discover.ts';
import { StartError } from '../runtime/start-error.ts';
import { connectionProblem, poolerProblem, withConnection } from './connection.ts';
import { isPooler } from './connections.ts';

/** An arbitrary constant: the key of the advisory lock. */
const migrationLock = 7_036_874_417;
const lockTimeoutMs = 300_000;

/** Extensions of PostgreSQL: trees of locations, and names that are spelled alike. */
export const extensions = ['ltree', 'pg_trgm'];

const ownFolder = path.join(rootFolder, 'core/postgres/migrations');

/** `meta/_journal.json` as drizzle-kit writes it; `when` is also what drizzle records in the database. */
const Journal = z.object({ entries: z.array(z.looseObject({ tag: z.string(), when: z.number() })) });
type Migration = z.infer<typeof Journal>['entries'][number];

/** Database and code are incompatible; `message` says what to do. */
export class MigrationError extends StartError {
  override readonly name = 'MigrationError';
}

export interface MigrateOptions {
  url: string;
  logger: Logger;
  /** Default: `migrations` beside this file. */
  folder?: string;
}

/**
 * Applies all pending migrations in one transaction, while other processes wait.
 * @throws MigrationError when the database has newer migrations that are not additive, or a pending one is older than an
 * applied one
 */
export async function migrateDatabase({ url, logger, folder = ownFolder }: MigrateOptions): Promise<void> {
  const known = readJournal(folder);
  const client = new pg.Client({
    connectionString: url,
    application_name: 'portal-migrate',
    connectionTimeoutMillis: 10_000,
    lock_timeout: lockTimeoutMs,
  });
  client.on('error', error => logger.warn({ err: error }, 'lost the connection that migrates'));
  try {
    await client.connect().catch(error => {
      const { found, fix } = connectionProblem(error);
      throw new StartError(`The database ${withoutPassword(url)} cannot be used: ${found}: ${fix}.`, { cause: error });
    });
    if (await isPooler(client)) logger.warn(`${poolerProblem.found}; ${poolerProblem.fix}`);
    // Released with the session, however the process ends.
    await client.query('SELECT pg_advisory_lock($1)', [migrationLock]);
    const applied = await readApplied(client);
    const { pending, newer } = compareMigrations(known, applied, await readAdditive(client));
    if (pending.length > 0) {
      for (const extension of extensions) await client.query(`CREATE EXTENSION IF NOT EXISTS ${extension}`);
      // Before they are applied: a process that ends in between would leave them unrecorded.
      await recordAdditive(client, pending, folder);
      await migrate(drizzle(client), { migrationsFolder: folder });
      logger.info(`database migrated, ${pending.length === 1 ? 'one step' : `${pending.length} steps`}`);
    }
    // A newer version's functions stay.
    if (newer === 0) await replaceFunctions(client, folder);
    else logger.warn(`the database has ${newer} additive migration(s) of a newer version; this version can use it`);
  } finally {
    await client.end();
  }
}

/** Runs `functions.sql` unless the database has it: its hash is the comment of the schema of the migrations. */
async function replaceFunctions(client: pg.Client, folder: string): Promise<void> {
  const sql = readFileSync(path.join(folder, 'functions.sql'), 'utf8');
  const version = createHash('sha256').update(sql).digest('hex');
  const { rows } = await client.query("SELECT obj_description('drizzle'::regnamespace, 'pg_namespace') AS version");
  if (rows[0]?.version === version) return;
  // One message: PostgreSQL executes its statements in one transaction.
  await client.query(`${sql}\nCOMMENT ON SCHEMA drizzle IS '${version}';`);
}

/**
 * Records which of the migrations are additive, so that processes of earlier versions, which do not have their
 * text, know whether they can work with the database.
 */
async function recordAdditive(client: pg.Client, pending: readonly Migration[], folder: string): Promise<void> {
  await client.query('CREATE SCHEMA IF NOT EXISTS drizzle');
  await client.query('CREATE TABLE IF NOT EXISTS drizzle.additive_migration (created_at bigint PRIMARY KEY)');
  const additive = pending.filter(({ tag }) => isAdditive(readFileSync(path.join(folder, `${tag}.sql`), 'utf8')));
  await client.query('INSERT INTO drizzle.additive_migration SELECT unnest($1::bigint[]) ON CONFLICT DO NOTHING', [
    additive.map(({ when }) => when),
  ]);
}

/** A migration states in its first line whether processes of the version before it can use the database. */
export const isAdditive = (sql: string): boolean => sql.startsWith('-- additive\n');

function withoutPassword(url: string): string {
  const shown = new URL(url);
  if (shown.password !== '') shown.password = '***';
  return shown.href;
}

/** Deletes everything in the database. */
export const emptyDatabase = (url: string): Promise<void> =>
  withConnection({ connectionString: url }, async client => {
    const { rows } = await client.query<{ name: string }>(
      "select quote_ident(nspname) as name from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema'",
    );
    for (const { name } of rows) await client.query(`drop schema ${name} cascade`);
    await client.query('create schema public');
  });

/** Names of the migrations that the next start applies. @throws MigrationError as `migrateDatabase` does */
export const pendingMigrations = async (client: pg.Client, folder = ownFolder): Promise<string[]> =>
  compareMigrations(readJournal(folder), await readApplied(client), await readAdditive(client)).pending.map(
    ({ tag }) => tag,
  );

/**
 * Copies the migrations that are in `applied` to a new folder, for a database as it was then.
 * @param applied creation times
 * @throws MigrationError when this version does not know one of them
 */
export async function migrationsOf(applied: readonly number[], to: string): Promise<void> {
  compareMigrations(readJournal(ownFolder), applied, []);
  await cp(ownFolder, to, { recursive: true });
  const file = path.join(to, 'meta', '_journal.json');
  const journal = z.looseObject(Journal.shape).parse(JSON.parse(readFileSync(file, 'utf8')));
  const entries = journal.entries.filter(({ when }) => applied.includes(when));
  await writeFile(file, JSON.stringify({ ...journal, entries }));
}

function readJournal(folder: string): Migration[] {
  const file = path.join(folder, 'meta', '_journal.json');
  if (!existsSync(file)) {
    throw new MigrationError(`There are no migrations in ${folder}: generate them with "npx drizzle-kit generate".`);
  }
  return Journal.parse(JSON.parse(readFileSync(file, 'utf8'))).entries;
}

/** Creation times of the applied migrations, oldest first. */
export async function readApplied(client: pg.Client): Promise<number[]> {
  const table = await client.query("SELECT to_regclass('drizzle.__drizzle_migrations') IS NOT NULL AS present");
  if (table.rows[0]?.present !== true) return [];
  const { rows } = await client.query('SELECT created_at FROM drizzle.__drizzle_migrations ORDER BY created_at');
  return rows.map(row => Number(row.created_at));
}

/** @param applied creation times; the first migration of 0.x is among them */
export const isOf0x = (applied: readonly number[]): boolean => applied.includes(1_795_234_736_351);

/** Creation times of those that are additive. */
async function readAdditive(client: pg.Client): Promise<number[]> {
  const table = await client.query("SELECT to_regclass('drizzle.additive_migration') IS NOT NULL AS present");
  if (table.rows[0]?.present !== true) return [];
  const { rows } = await client.query('SELECT created_at FROM drizzle.additive_migration');
  return rows.map(row => Number(row.created_at));
}

/** @returns those to apply, and the number of additive ones that only a newer version knows */
function compareMigrations(
  known: readonly Migration[],
  applied: readonly number[],
  additive: readonly number[],
): { pending: Migration[]; newer: number } {
  const unknown = applied.filter(when => !known.some(migration => migration.when === when));
  if (isOf0x(unknown))
    throw new MigrationError(
      'The database is one of 0.x: make a backup of it, and run `npm run import-0x` once while the service is stopped.',
    );
  const breaking = unknown.filter(when => !additive.includes(when));
  if (breaking.length > 0) {
    throw new MigrationError(
      `The database has ${breaking.length} migration(s) that this version of the service does not know and that are not ` +
        `additive, the last created at ${new Date(Math.max(...breaking)).toISOString()}: start a version that has them, ` +
        'or use another database.',
    );
  }
  const pending = known.filter(migration => !applied.includes(migration.when));
  // Drizzle only applies migrations newer than the last applied one, and silently skips older ones.
  const skipped = pending.find(migration => migration.when < (applied.at(-1) ?? 0));
  if (skipped) {
    throw new MigrationError(
      `Migration ${skipped.tag} is older than an applied one and would be skipped: generate it again, so that it comes last.`,
    );
  }
  return { pending, newer: unknown.length };
}
