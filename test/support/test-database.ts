/** A database for one test file: all migrations, no rows. Requires `test-postgres.ts` as vitest's `globalSetup`. */
import { inject } from 'vitest';
import { cloneTestDatabase, type TestDatabase } from './test-postgres.ts';

export const createTestDatabase = (name: string): Promise<TestDatabase> =>
  cloneTestDatabase(inject('testServer'), name);
