/**
 * Orders the test files: long ones first. Without recorded times of an earlier run, vitest sorts by file size; a long
 * file that starts last would then run alone at the end.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take 20 s or more. Files with time limits come first, together with files that mostly wait; files
 * that start many processes are not next to each other.
 */
const longFiles = [
  'test/e2e/outages.test.ts',
  'test/integration/core/jobs/redis-sets.test.ts',
  'test/integration/api/operations/events/events.test.ts',
  'test/integration/api/operations/portal/user-activity.test.ts',
  'test/integration/workers/terminations/killed.test.ts',
  'test/integration/workers/runtime/outage.test.ts',
  'test/e2e/readme.test.ts',
  'test/integration/workers/location-sync/location-sync.test.ts',
  'test/e2e/vendor-outages.test.ts',
  'test/e2e/soak.test.ts',
  'test/e2e/kill-location-sync.test.ts',
  'test/e2e/start.test.ts',
  'test/integration/workers/runtime/worker.test.ts',
  'test/integration/workers/employee-resync/killed.test.ts',
  'test/e2e/chaos.test.ts',
  'test/integration/workers/pdf/layout/text-geometry.test.ts',
  'test/e2e/upgrade.test.ts',
  'test/integration/api/admin/ops-live.test.ts',
  'test/integration/workers/leads/command-errors.test.ts',
  'test/integration/api/fuzz.test.ts',
  'test/integration/workers/runtime/run-job.test.ts',
  'test/integration/api/admin/studio.test.ts',
  'test/integration/api/admin/studio-input.test.ts',
  'test/integration/workers/pdf/mail-delivery.test.ts',
  'test/integration/workers/pdf/visual/pages.test.ts',
  'test/integration/docs/extending.test.ts',
  'test/integration/workers/pdf/brochures.test.ts',
  'test/e2e/egress.test.ts',
];

export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config;
    for (const file of longFiles)
      if (!existsSync(path.join(root, file)))
        throw new Error(`the list of long files contains ${file}, which does not exist`);
    const rankOf = ({ moduleId }: TestSpecification): number => {
      const found = longFiles.indexOf(path.relative(root, moduleId).replaceAll('\\', '/'));
      return found === -1 ? longFiles.length : found;
    };
    const bySize = await super.sort(files);
    // The sort is stable: other files keep their order by size.
    return bySize.sort((a, b) => groupOf(a) - groupOf(b) || rankOf(a) - rankOf(b));
  }
}

const groupOf = ({ project }: TestSpecification): number => project.config.sequence.groupOrder;
