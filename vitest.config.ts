/** Three kinds of test: unit (no external process); integration (real components on loopback) and e2e (running processes). */
import { defineConfig } from 'vitest/config';
import { LongFilesFirst } from './test/support/long-files-first.ts';
import { SkippedTests } from './test/support/skipped-tests.ts';

/** Parallel files of integration and e2e tests: they wait much of the time, so five keep two cores busy. */
const parallelFiles = 5;

/** Limits that a machine with five times the usual load keeps; a test states one only where it is longer. */
const slowMachine = { unitTestMs: 60_000, testMs: 300_000, pollMs: 120_000 };

/** Vitest's own options for this would replace the projects' order of groups. */
const { SHUFFLE_SEED: shuffleSeed } = process.env;
const shuffled = shuffleSeed === undefined ? {} : { shuffle: { tests: true }, seed: Number(shuffleSeed) };

const setupFiles = ['test/support/remove-temporary-folders.ts'];

export default defineConfig({
  test: {
    // Where Node.js runs TypeScript itself, vitest's own way to load modules takes more CPU time, and is needed for `vi.mock` only.
    experimental: { viteModuleRunner: !Reflect.get(process.features, 'typescript'), nodeLoader: false },
    sequence: { sequencer: LongFilesFirst, ...shuffled },
    reporters: ['default', new SkippedTests()],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          setupFiles: [...setupFiles, 'test/support/fixed-seed.ts'],
          testTimeout: slowMachine.unitTestMs,
          expect: { poll: { timeout: slowMachine.pollMs } },
          isolate: false,
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: 'integration',
          // One project: vitest ends its processes where the next file belongs to another one.
          include: ['test/integration/**/*.test.ts', 'test/e2e/**/*.test.ts'],
          globalSetup: [
            'test/support/leftovers.ts',
            'test/support/test-build.ts',
            'test/support/test-postgres.ts',
            'test/support/test-redis.ts',
          ],
          setupFiles,
          testTimeout: slowMachine.testMs,
          hookTimeout: slowMachine.testMs,
          // Each poll takes CPU time from the other files.
          expect: { poll: { interval: 100, timeout: slowMachine.pollMs } },
          // A new process for each file would load the same modules again, which takes both cores half a second.
          isolate: false,
          maxWorkers: parallelFiles,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
