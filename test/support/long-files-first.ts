/**
 * The order of the test files. Where no earlier run has left its times, as on a fresh machine, vitest goes by the files'
 * sizes; a long file that starts last then runs alone at the end, with the other lanes empty.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Those that take the better part of a minute or more. What has to be done within a time is among the first, beside
 * files that mostly wait; the files that start the most processes do not begin together.
 */
const longFiles = [
  'test/e2e/kill-worker.test.ts',
  'test/integration/api/events.test.ts',
  'test/integration/api/user-activity.test.ts',
  'test/integration/workers/terminations/killed.test.ts',
  'test/e2e/start.test.ts',
  'test/integration/workers/location-sync/location-sync.test.ts',
  'test/e2e/readme.test.ts',
  'test/e2e/outages.test.ts',
  'test/integration/workers/runtime/worker.test.ts',
  'test/integration/workers/employee-resync/killed.test.ts',
  'test/e2e/chaos.test.ts',
  'test/integration/api/fuzz.test.ts',
  'test/e2e/kill-location-sync.test.ts',
  'test/e2e/upgrade.test.ts',
  'test/integration/workers/pdf/visual/pages.test.ts',
  'test/e2e/egress.test.ts',
];

export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config;
    for (const file of longFiles)
      if (!existsSync(path.join(root, file))) throw new Error(`${file}, one of the long files, is not there`);
    const place = ({ moduleId }: TestSpecification): number => {
      const found = longFiles.indexOf(path.relative(root, moduleId).replaceAll('\\', '/'));
      return found === -1 ? longFiles.length : found;
    };
    const bySize = await super.sort(files);
    // A sort keeps the order of what is equal.
    return bySize.sort((a, b) => groupOf(a) - groupOf(b) || place(a) - place(b));
  }
}

const groupOf = ({ project }: TestSpecification): number => project.config.sequence.groupOrder;
