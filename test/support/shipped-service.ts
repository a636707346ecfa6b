/** The service as in the image: the build and the production dependencies, in a folder outside the checkout. */
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, cp, mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { rootFolder } from '../../core/runtime/discover.ts';
import { buildVariable } from './processes.ts';

const Lockfile = z.object({
  packages: z.record(z.string(), z.object({ dev: z.boolean().optional(), link: z.boolean().optional() })),
});

/** Top-level packages that `npm ci --omit=dev` installs on this machine; nested packages are inside them. */
export const productionPackages = Object.entries(
  Lockfile.parse(JSON.parse(readFileSync(path.join(rootFolder, 'package-lock.json'), 'utf8'))).packages,
).flatMap(([folder, { dev, link }]) => {
  const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(folder)?.[1];
  const isInstalled = name !== undefined && existsSync(path.join(rootFolder, folder));
  return isInstalled && !dev && !link ? [name] : [];
});

/** @param folder outside the checkout, so that the checkout's node_modules are not found */
export async function shipService(folder: string): Promise<void> {
  const { [buildVariable]: testBuild } = process.env;
  if (testBuild === undefined) throw new Error('test-build.ts must be a globalSetup of the test project');
  await Promise.all([
    cp(testBuild, path.join(folder, 'dist'), { recursive: true }),
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
