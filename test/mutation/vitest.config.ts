/** Runs the tests that `run.ts` names, each file in a thread of its own, so that constants of modules are mutated too. */
import { configDefaults, defineConfig } from 'vitest/config';

/** One in each line. */
const patterns = (list = ''): string[] => list.split('\n').filter(pattern => pattern !== '');

export default defineConfig({
  test: {
    include: patterns(process.env.MUTATION_TESTS),
    exclude: [...configDefaults.exclude, ...patterns(process.env.MUTATION_TESTS_EXCLUDED)],
    runner: 'test/mutation/runner.ts',
    globalSetup: ['test/support/test-postgres.ts', 'test/support/test-redis.ts'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
});
