/** A reporter of vitest: lists at the end of a run the tests that were skipped, and the tools that this machine lacks. */
import { spawnSync } from 'node:child_process';
import type { Reporter, TestModule, Vitest } from 'vitest/node';

/** Programs that tests use when the machine has them, with what is skipped without them. */
const tools: Readonly<Record<string, string>> = {
  'redis-server': 'all tests of queues on Redis, unless REDIS_URL is set',
  pgbouncer: 'the tests behind a connection pooler',
  qpdf: 'checks of PDF files',
  pdfinfo: 'checks of PDF properties',
  pdffonts: 'checks of PDF fonts',
  pdftotext: 'checks of PDF text',
  pdftoppm: 'checks of PDF pages as images',
};

export class SkippedTests implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    // With a filter, the other tests count as skipped.
    if (this.#vitest?.config.testNamePattern !== undefined) return;
    const skipped = modules.flatMap(module => [...module.children.allTests('skipped')]);
    const missing = missingTools();
    if (skipped.length === 0 && missing.length === 0) return;
    const lines = [
      `Skipped tests: ${skipped.length}`,
      ...skipped.map(test => `  ${test.module.relativeModuleId} > ${test.fullName}`),
      `Missing tools: ${missing.length === 0 ? 'none' : ''}`,
      ...missing.map(tool => `  ${tool}: ${tools[tool]}`),
    ];
    process.stdout.write(`\n${lines.join('\n')}\n`);
  }
}

function missingTools(): string[] {
  const given = process.env.TEST_REDIS_URL || process.env.REDIS_URL;
  return Object.keys(tools).filter(
    tool => !(tool === 'redis-server' && given) && spawnSync(tool, ['--version']).error !== undefined,
  );
}
