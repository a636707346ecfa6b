/**
 * Vitest's `globalSetup`: builds the service once for all tests that start its processes. They run the shipped code, and
 * it starts in a third of the time of TypeScript.
 */
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { build } from '../../build.ts';
import { rootFolder } from '../../core/runtime/discover.ts';
import { buildVariable } from './processes.ts';

/** Inside the checkout, so that dependencies are found. */
const builds = path.join(rootFolder, '.data', 'test-builds');

const programs = ['test/support/start-embedded-postgres.ts', 'test/support/trial-scheduler.ts'];

/** Builds the service; `startProcess` runs it from there. @returns the folder, which the caller removes */
export async function buildForTests(): Promise<string> {
  await mkdir(builds, { recursive: true });
  const folder = await mkdtemp(path.join(builds, 'service-'));
  // Tests start processes as other users.
  for (const entered of [builds, folder]) await chmod(entered, 0o755);
  await build(folder, programs);
  process.env[buildVariable] = folder;
  return folder;
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await buildForTests();
  project.onTestsRerun(() => build(folder, programs).then(() => undefined));
  return () => rm(folder, { recursive: true, force: true });
}
