/** The service as it is shipped: built for one test file, and run from there. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { rootFolder } from '../../core/discover.ts';

export interface BuiltService {
  /** As `startProcess` takes it: `built.file('api/main')`. */
  file(name: string): string;
  remove(): Promise<void>;
}

/** Inside the checkout, where the dependencies are found; about two seconds. */
export async function buildService(): Promise<BuiltService> {
  const builds = path.join(rootFolder, '.data', 'test-builds');
  await mkdir(builds, { recursive: true });
  const folder = await mkdtemp(path.join(builds, 'service-'));
  await promisify(execFile)(process.execPath, ['--import', 'tsx', 'core/launch/build.ts', folder], {
    cwd: rootFolder,
  });
  return {
    file: name => path.join(path.relative(rootFolder, folder), `${name}.js`),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
