/** Runs the tests that `run.ts` names, each file in a thread of its own, so that constants of modules are mutated too. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: process.env.MUTATION_TESTS?.split(',') ?? [],
    globalSetup: ['test/support/test-postgres.ts', 'test/support/test-redis.ts'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
});
