/** The embedded PostgreSQL's data folder: created atomically, checked before each use. */
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type ProgramResult, runProgram } from './account.ts';
import type { PostgresBinaries } from './binaries.ts';
import { EmbeddedPostgresError, useOwnServer } from './error.ts';
import type { PostgresHome } from './home.ts';

/** Name of the database and of its owner, which is no superuser: an injected query cannot take over the server. */
export const databaseName = 'portal';

export interface Cluster {
  /** PostgreSQL's data folder. */
  data: string;
  /** The password of the role `portal`. */
  password: string;
}

/**
 * Returns the data folder in `home`; creates it if it does not exist.
 *
 * Needs no lock: each process that finds no data creates a draft and renames it into place; the rename succeeds for one
 * process, the others delete their drafts.
 * @param durable false: faster creation that does not survive a power failure
 * @throws EmbeddedPostgresError when the folder has other content, or data of another major version
 */
export async function ensureCluster(
  home: PostgresHome,
  binaries: PostgresBinaries,
  { durable }: { durable: boolean },
): Promise<Cluster> {
  await removeAbandonedDrafts(home.folder);
  const folder = path.join(home.folder, 'cluster');
  if (!existsSync(folder)) await createCluster(home, binaries, folder, durable);

  const data = path.join(folder, 'data');
  await checkVersion(data, binaries.major);
  const password = await readFile(path.join(folder, 'password'), 'utf8').catch(error => {
    throw new EmbeddedPostgresError(
      `The password of the database in ${folder} cannot be read: ` +
        `start the service as the user who created it, restore the file, or ${useOwnServer}.`,
      String(error),
    );
  });
  return { data, password };
}

async function checkVersion(data: string, major: string): Promise<void> {
  const found = await readFile(path.join(data, 'PG_VERSION'), 'utf8').catch(() => undefined);
  if (found === undefined) {
    throw new EmbeddedPostgresError(
      `${data} is no PostgreSQL data folder that this user can read: move it away to get a new one, or ${useOwnServer}.`,
    );
  }
  if (found.trim() !== major) {
    throw new EmbeddedPostgresError(
      `${data} has data of PostgreSQL ${found.trim()}, but the embedded version is PostgreSQL ${major}: dump it with ` +
        `the old version and restore it, move it away to get a new one, or ${useOwnServer}.`,
    );
  }
}

async function createCluster(
  home: PostgresHome,
  binaries: PostgresBinaries,
  folder: string,
  durable: boolean,
): Promise<void> {
  const draft = `${folder}.${randomUUID()}`;
  try {
    await fillCluster(home, binaries, draft, durable);
    await rename(draft, folder);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another process may have created it.
    if (!existsSync(folder)) throw error;
  }
}

async function fillCluster(
  home: PostgresHome,
  binaries: PostgresBinaries,
  draft: string,
  durable: boolean,
): Promise<void> {
  const { account } = home;
  const data = path.join(draft, 'data');
  const passwordFile = path.join(draft, 'password');
  const password = randomBytes(24).toString('base64url');
  await mkdir(draft, { mode: 0o700 });
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (account) {
    await chown(draft, account.uid, account.gid);
    await chown(passwordFile, account.uid, account.gid);
  }

  const run = (program: string, args: string[], input?: string) =>
    runProgram(program, args, { account, cwd: draft, ...(input !== undefined && { input }) });
  // PostgreSQL's own C.UTF-8: the same sort order and case mapping on every machine.
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const access = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
  succeeded(await run(binaries.initdb, ['-D', data, ...locale, ...access, ...(durable ? [] : ['--no-sync'])]));

  // In single-user mode: no client can connect before the setup is complete.
  const statements = [
    `CREATE ROLE ${databaseName} LOGIN CREATEDB PASSWORD '${password}';`,
    `CREATE DATABASE ${databaseName} OWNER ${databaseName};`,
  ];
  const single = ['--single', '-D', data, '-c', 'exit_on_error=on', '-c', `fsync=${durable}`, 'postgres'];
  succeeded(await run(binaries.postgres, single, `${statements.join('\n')}\n`));
}

function succeeded({ code, output }: ProgramResult): void {
  if (code === 0) return;
  throw new EmbeddedPostgresError(
    `The embedded PostgreSQL's data folder could not be created: fix the error below, or ${useOwnServer}.`,
    output,
  );
}

/** A process that was killed while it created a draft leaves about 40 MB. */
async function removeAbandonedDrafts(home: string): Promise<void> {
  const anHourAgo = Date.now() - 3_600_000;
  for (const name of await readdir(home)) {
    const draft = path.join(home, name);
    const modified = (await stat(draft).catch(() => undefined))?.mtimeMs ?? Number.POSITIVE_INFINITY;
    if (name.startsWith('cluster.') && modified < anHourAgo) await rm(draft, { recursive: true, force: true });
  }
}
