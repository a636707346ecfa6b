/** Runs the unit tests that `run.ts` names, each file in a thread of its own, so that constants of modules are mutated too. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { include: process.env.MUTATION_TESTS?.split(',') ?? [], testTimeout: 20_000 },
});
