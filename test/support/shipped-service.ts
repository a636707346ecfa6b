/** The service as the image holds it: the build and the production dependencies, in a folder far from the checkout's. */
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

/** What `npm ci --omit=dev` would put into node_modules here; packages inside packages come with them. */
const productionPackages = Object.entries(
  Lockfile.parse(JSON.parse(readFileSync(path.join(rootFolder, 'package-lock.json'), 'utf8'))).packages,
).flatMap(([place, { dev, link }]) => {
  const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(place)?.[1];
  const isHere = name !== undefined && existsSync(path.join(rootFolder, place));
  return isHere && !dev && !link ? [name] : [];
});

/** @param folder outside the checkout, so that nothing is found in the checkout's own node_modules */
export async function shipService(folder: string): Promise<void> {
  await Promise.all([
    run(process.execPath, ['--import', 'tsx', 'core/cli/build.ts', path.join(folder, 'dist')], {
      cwd: rootFolder,
    }),
    linkDependencies(path.join(folder, 'node_modules')),
    copyFile(path.join(rootFolder, 'package.json'), path.join(folder, 'package.json')),
  ]);
}

/** The processes must be started with `--preserve-symlinks`, else the links would lead them back to the checkout. */
async function linkDependencies(modules: string): Promise<void> {
  for (const name of productionPackages) {
    const link = path.join(modules, name);
    await mkdir(path.dirname(link), { recursive: true });
    await symlink(path.join(rootFolder, 'node_modules', name), link, 'junction');
  }
}
