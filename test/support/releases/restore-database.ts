/** Restores the database of a release: schema, rows and queues, with times relative to now. */
import { runMigrations } from 'bullmq';
import pg from 'pg';
import type { Release } from './release.ts';
import { writeTables } from './table-rows.ts';

/** @param without ids of jobs to omit */
export async function restoreDatabase(url: string, release: Release, without: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(release.schema);
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
