/** The embedded PostgreSQL's data: made once, whole or not at all, and checked before each use. */
import { randomBytes, randomUUID } from 'node:crypto';
import { chown, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type ProgramResult, runProgram } from './account.ts';
import type { PostgresBinaries } from './binaries.ts';
import { EmbeddedPostgresError, useOwnServer } from './error.ts';
import type { PostgresHome } from './home.ts';

/** The database's name, and of the role that owns it: no superuser, so that a stolen query is not the whole server. */
export const databaseName = 'portal';

export interface Cluster {
  /** PostgreSQL's data folder. */
  data: string;
  /** Of the role `portal`. */
  password: string;
}

/**
 * The data in `home`, made if there is none.
 *
 * No lock is needed, nor could one be left behind: each process that finds no data makes its own beside it and
 * renames it into place, which succeeds for one of them only; the others drop theirs.
 * @param durable false: what is made need not survive a power cut, and is made faster
 * @throws EmbeddedPostgresError when the folder holds something else, or data of another major version
 */
export async function ensureCluster(
  home: PostgresHome,
  binaries: PostgresBinaries,
  { durable }: { durable: boolean },
): Promise<Cluster> {
  await removeAbandonedDrafts(home.folder);
  const folder = path.join(home.folder, 'cluster');
  if (!(await exists(folder))) await createCluster(home, binaries, folder, durable);

  const data = path.join(folder, 'data');
  await checkVersion(data, binaries.major);
  const password = await readFile(path.join(folder, 'password'), 'utf8').catch(error => {
    throw new EmbeddedPostgresError(
      `The password of the database in ${folder} cannot be read: ` +
        `start the service as the user who made it, put the file back, or ${useOwnServer}.`,
      String(error),
    );
  });
  return { data, password };
}

async function checkVersion(data: string, major: string): Promise<void> {
  const found = await readFile(path.join(data, 'PG_VERSION'), 'utf8').catch(() => undefined);
  if (found === undefined) {
    throw new EmbeddedPostgresError(
      `${data} is no PostgreSQL data folder that this user can read: move it away, so that a new one is made, or ${useOwnServer}.`,
    );
  }
  if (found.trim() !== major) {
    throw new EmbeddedPostgresError(
      `${data} holds data of PostgreSQL ${found.trim()}, and the embedded one is PostgreSQL ${major}: dump it with ` +
        `the old version and restore it, move it away, so that a new one is made, or ${useOwnServer}.`,
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
    const anotherWasFirst = await exists(folder);
    if (!anotherWasFirst) throw error;
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
  // PostgreSQL's own C.UTF-8: the same order and the same upper and lower case on every machine.
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const access = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
  succeeded(
    await run(binaries.initdb, ['-D', data, ...locale, ...access, ...(durable ? [] : ['--no-sync'])]),
  );

  // Without a server: nobody can connect before all is there.
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
    `The embedded PostgreSQL's data folder could not be made: mend what it says below, or ${useOwnServer}.`,
    output,
  );
}

/** A process that was killed while it made one leaves some 40 MB. */
async function removeAbandonedDrafts(home: string): Promise<void> {
  const anHourAgo = Date.now() - 3_600_000;
  for (const name of await readdir(home)) {
    const draft = path.join(home, name);
    const made = (await stat(draft).catch(() => undefined))?.mtimeMs ?? Number.POSITIVE_INFINITY;
    if (name.startsWith('cluster.') && made < anHourAgo) await rm(draft, { recursive: true, force: true });
  }
}

const exists = async (file: string): Promise<boolean> =>
  (await stat(file).catch(() => undefined)) !== undefined;
