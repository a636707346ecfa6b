/** Brings the database to the shape this code was written for; safe in any number of processes at once. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import pg from 'pg';
import type { Logger } from 'pino';
import { z } from 'zod';

/** Any constant number will do; all processes of the service take this lock and no other program does. */
const migrationLock = 7_036_874_417;
const lockTimeout = '5min';

const ownFolder = path.join(import.meta.dirname, 'migrations');

/** `meta/_journal.json` as drizzle-kit writes it; `when` is also what drizzle records in the database. */
const Journal = z.object({ entries: z.array(z.object({ tag: z.string(), when: z.number() })) });
type Migration = z.infer<typeof Journal>['entries'][number];

/** The database and this code do not fit together; `message` says what to do. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

export interface MigrateOptions {
  url: string;
  logger: Logger;
  /** Where drizzle-kit wrote the migrations; default: `migrations` beside this file. */
  folder?: string;
}

/**
 * Applies the migrations not yet applied, all in one transaction, while the other processes wait.
 * @throws MigrationError when the database is newer than the code, or a migration was put before an applied one
 */
export async function migrateDatabase({ url, logger, folder = ownFolder }: MigrateOptions): Promise<void> {
  const known = readJournal(folder);
  const client = new pg.Client({
    connectionString: url,
    application_name: 'portal-migrate',
    connectionTimeoutMillis: 10_000,
  });
  client.on('error', error => logger.warn({ err: error }, 'the connection that migrates was lost'));
  try {
    await client.connect();
    await client.query(`SET lock_timeout = '${lockTimeout}'`);
    // Held by the session, so that it is given up however this process ends.
    await client.query('SELECT pg_advisory_lock($1)', [migrationLock]);
    const pending = pendingMigrations(known, await readApplied(client));
    if (pending.length === 0) return;
    await migrate(drizzle(client), { migrationsFolder: folder });
    logger.info({ migrations: pending.map(migration => migration.tag) }, 'the database is migrated');
  } finally {
    await client.end();
  }
}

/**
 * Those that the next start applies, by name.
 * @throws MigrationError as `migrateDatabase` does
 */
export const migrationsToCome = async (client: pg.Client, folder = ownFolder): Promise<string[]> =>
  pendingMigrations(readJournal(folder), await readApplied(client)).map(({ tag }) => tag);

function readJournal(folder: string): Migration[] {
  const file = path.join(folder, 'meta', '_journal.json');
  if (!existsSync(file)) {
    throw new MigrationError(
      `There are no migrations in ${folder}: make them with "npx drizzle-kit generate".`,
    );
  }
  return Journal.parse(JSON.parse(readFileSync(file, 'utf8'))).entries;
}

/** When the migrations in the database were made, the oldest first. */
async function readApplied(client: pg.Client): Promise<number[]> {
  const table = await client.query(
    "SELECT to_regclass('drizzle.__drizzle_migrations') IS NOT NULL AS present",
  );
  if (table.rows[0]?.present !== true) return [];
  const { rows } = await client.query(
    'SELECT created_at FROM drizzle.__drizzle_migrations ORDER BY created_at',
  );
  return rows.map(row => Number(row.created_at));
}

function pendingMigrations(known: readonly Migration[], applied: readonly number[]): Migration[] {
  const unknown = applied.filter(when => !known.some(migration => migration.when === when));
  if (unknown.length > 0) {
    throw new MigrationError(
      `The database has ${unknown.length} migration(s) this version of the service does not know, the last made at ` +
        `${new Date(Math.max(...unknown)).toISOString()}: start a version that has them, or use another database.`,
    );
  }
  const pending = known.filter(migration => !applied.includes(migration.when));
  // Drizzle compares with the last one applied only, and would pass over an older one without a word.
  const passedOver = pending.find(migration => migration.when < (applied.at(-1) ?? 0));
  if (passedOver) {
    throw new MigrationError(
      `Migration ${passedOver.tag} is older than one the database already has, so it would never be applied: ` +
        'generate it again, so that it comes last.',
    );
  }
  return pending;
}
