/** The service as in the image: the build and the production dependencies, in a folder outside the checkout. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { rootFolder } from '../../core/runtime/discover.ts';

const run = promisify(execFile);

const Lockfile = z.object({
  packages: z.record(z.string(), z.object({ dev: z.boolean().optional(), link: z.boolean().optional() })),
});

/** Top-level packages that `npm ci --omit=dev` installs on this machine; nested packages are inside them. */
const productionPackages = Object.entries(
  Lockfile.parse(JSON.parse(readFileSync(path.join(rootFolder, 'package-lock.json'), 'utf8'))).packages,
).flatMap(([folder, { dev, link }]) => {
  const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(folder)?.[1];
  const isInstalled = name !== undefined && existsSync(path.join(rootFolder, folder));
  return isInstalled && !dev && !link ? [name] : [];
});

/** @param folder outside the checkout, so that the checkout's node_modules are not found */
export async function shipService(folder: string): Promise<void> {
  await Promise.all([
    run(process.execPath, ['--import', 'tsx', 'core/cli/build.ts', path.join(folder, 'dist')], {
      cwd: rootFolder,
    }),
    linkDependencies(path.join(folder, 'node_modules')),
    copyFile(path.join(rootFolder, 'package.json'), path.join(folder, 'package.json')),
  ]);
}

/** Start the processes with `--preserve-symlinks`: otherwise the links resolve to the checkout. */
async function linkDependencies(modules: string): Promise<void> {
  for (const name of productionPackages) {
    const link = path.join(modules, name);
    await mkdir(path.dirname(link), { recursive: true });
    await symlink(path.join(rootFolder, 'node_modules', name), link, 'junction');
  }
}
