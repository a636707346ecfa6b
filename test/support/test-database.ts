/** A database for one test file: all migrations, no rows. Requires `test-postgres.ts` as vitest's `globalSetup`. */
import { pino } from 'pino';
import { afterAll, inject } from 'vitest';
import { type Database, openDatabase } from '../../core/postgres/client.ts';
import { cloneTestDatabase, type TestDatabase } from './test-postgres.ts';

export const createTestDatabase = (name: string): Promise<TestDatabase> =>
  cloneTestDatabase(inject('testServer'), name);

/** @param poolSize with one connection, statements run in the order in which they are sent */
export async function openTestDatabase(
  name: string,
  poolSize = 4,
): Promise<{ database: Database; url: string; close(): Promise<void> }> {
  const { url, drop } = await createTestDatabase(name);
  const logger = pino({ level: 'silent' });
  const database = openDatabase({ url, poolSize, logger, applicationName: 'test' });
  return {
    database,
    url,
    async close() {
      await database.close();
      await drop();
    },
  };
}

/** A database for the tests of a file, opened before they are defined. */
export async function useTestDatabase(...given: Parameters<typeof openTestDatabase>) {
  const { close, ...opened } = await openTestDatabase(...given);
  afterAll(close);
  return opened;
}
