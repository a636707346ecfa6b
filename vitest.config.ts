/** Three kinds of test: unit (needs nothing), integration (real parts on loopback), e2e (running processes). */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'unit', include: ['test/unit/**/*.test.ts'], testTimeout: 20_000 } },
      {
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          globalSetup: ['test/support/test-postgres.ts', 'test/support/test-redis.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          // Much of their time is waiting: two files at once keep two cores busy.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          testTimeout: 180_000,
          hookTimeout: 180_000,
          // Each starts a whole service of its own and waits for it most of the time.
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
