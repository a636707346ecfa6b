/** Three kinds of test: unit (needs nothing), integration (real parts on loopback), e2e (running processes). */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'unit', include: ['test/unit/**/*.test.ts'], testTimeout: 20_000, isolate: false } },
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
          // Much of their time is waiting: three files at once keep two cores busy.
          maxWorkers: 3,
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
          // Each starts a whole service of its own and waits for it most of the time.
          maxWorkers: 3,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
