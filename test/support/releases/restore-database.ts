/** Restores the database of a release: schema, rows and queues, with times relative to now. */
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runMigrations } from 'bullmq';
import pg from 'pg';
import { pino } from 'pino';
import { z } from 'zod';
import { migrateDatabase } from '../../../core/postgres/migrate.ts';
import { rootFolder } from '../../../core/runtime/discover.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import type { Release } from './release.ts';
import { writeTables } from './table-rows.ts';

const Journal = z.looseObject({ entries: z.array(z.looseObject({ tag: z.string() })) });

/** @param without ids of jobs to omit */
export async function restoreDatabase(url: string, release: Release, without: readonly string[]): Promise<void> {
  await migrateDatabase({ url, logger: pino({ level: 'silent' }), folder: await migrationsOf(release) });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // As `core/jobs/queues.ts` does: BullMQ migrates its own tables.
    await runMigrations(client, 'bullmq');
    const isOmitted = (row: Record<string, unknown>): boolean =>
      [row.id, row.job_id, row.subject_id].some(id => typeof id === 'string' && without.includes(id));
    const tables = release.tables.map(({ table, rows }) => ({
      table,
      rows: rows.filter(row => !isOmitted(row)),
    }));
    await writeTables(client, tables, Date.now() - Date.parse(release.recordedAt));
  } finally {
    await client.end();
  }
}

/** Creates a folder with the release's migrations; a unit test checks that they are unchanged. */
async function migrationsOf({ migrations }: Release): Promise<string> {
  const source = path.join(rootFolder, 'core/postgres/migrations');
  const folder = temporaryFolder();
  await mkdir(path.join(folder, 'meta'), { recursive: true });
  for (const { tag } of migrations) await copyFile(path.join(source, `${tag}.sql`), path.join(folder, `${tag}.sql`));
  const journal = Journal.parse(JSON.parse(await readFile(path.join(source, 'meta/_journal.json'), 'utf8')));
  const entries = journal.entries.slice(0, migrations.length);
  await writeFile(path.join(folder, 'meta/_journal.json'), JSON.stringify({ ...journal, entries }));
  return folder;
}
