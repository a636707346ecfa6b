/** A database of its own for a test file: all migrations, no rows. Needs `test-postgres.ts` as vitest's `globalSetup`. */
import { inject } from 'vitest';
import { cloneTestDatabase, type TestDatabase } from './test-postgres.ts';

export const createTestDatabase = (name: string): Promise<TestDatabase> =>
  cloneTestDatabase(inject('testServer'), name);
