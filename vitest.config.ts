/** Three kinds of test: unit (needs nothing), integration (real parts on loopback), e2e (running processes). */
import { defineConfig } from 'vitest/config';
import { LongFilesFirst } from './test/support/long-files-first.ts';

/** Files at once of those that start servers and processes: they wait much of their time, so three keep two cores busy. */
const lanes = 3;

export default defineConfig({
  test: {
    sequence: { sequencer: LongFilesFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          testTimeout: 20_000,
          isolate: false,
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          globalSetup: [
            'test/support/test-build.ts',
            'test/support/test-postgres.ts',
            'test/support/test-redis.ts',
          ],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          // A fresh process a file would spend half a second of both cores on loading the same modules again.
          isolate: false,
          maxWorkers: lanes,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: ['test/support/test-build.ts'],
          testTimeout: 180_000,
          hookTimeout: 180_000,
          maxWorkers: lanes,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
