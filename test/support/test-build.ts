/**
 * Vitest's `globalSetup`: builds the service once for all tests that start its processes. They run the shipped code, and
 * it starts in half the time of TypeScript.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { rootFolder } from '../../core/runtime/discover.ts';
import { buildVariable } from './processes.ts';

/** Inside the checkout, so that dependencies are found. */
const builds = path.join(rootFolder, '.data', 'test-builds');

export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  // Another project of this run has built it.
  if (process.env[buildVariable] !== undefined) return undefined;
  await mkdir(builds, { recursive: true });
  const folder = await mkdtemp(path.join(builds, 'service-'));
  const build = async () => {
    const program = path.join(rootFolder, 'core/cli/build.ts');
    await promisify(execFile)(process.execPath, ['--import', 'tsx', program, folder], { cwd: rootFolder });
  };
  await build();
  process.env[buildVariable] = folder;
  project.onTestsRerun(build);
  return () => rm(folder, { recursive: true, force: true });
}
