/** The folder of the embedded PostgreSQL's data and port, and the account that it runs as. */
import { hash } from 'node:crypto';
import { chmod, chown, mkdir, readFile, realpath, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from 'pino';
import { freePort, isFreePort } from '../../runtime/free-port.ts';
import { createDataFolder, isRoot } from '../../runtime/private-folder.ts';
import { type Account, canEnter, ordinaryAccount } from './account.ts';
import { EmbeddedPostgresError, useOwnServer } from './error.ts';

export interface PostgresHome {
  folder: string;
  account: Account | undefined;
}

/** Used as root when the unprivileged account cannot enter the data folder, such as below `/root`. */
const reachableFolder = '/var/lib/portal-service';

/**
 * Returns `<dataDir>/postgres`, created if missing. As root the folder belongs to an unprivileged account; if that account
 * cannot enter `dataDir`, the folder is in `/var/lib/portal-service`, which is logged. Existing data is never moved.
 */
export async function prepareHome(dataDir: string, logger: Logger): Promise<PostgresHome> {
  await createDataFolder(dataDir);
  const inPlace = path.join(await realpath(dataDir), 'postgres');
  if (!isRoot()) {
    await mkdir(inPlace, { recursive: true, mode: 0o700 });
    return { folder: inPlace, account: undefined };
  }

  const elsewhere = path.join(reachableFolder, hash('sha256', inPlace).slice(0, 12));
  const home = (await existingHome(inPlace)) ?? (await existingHome(elsewhere)) ?? (await newHome(inPlace, elsewhere));
  if (home.folder === elsewhere) {
    logger.info(
      { folder: elsewhere },
      `PostgreSQL does not run as root, and its account cannot enter ${dataDir}: the database is in ${elsewhere}`,
    );
  }
  return home;
}

/** Existing data keeps its owner: an ordinary user, or `nobody` from before the user `postgres` existed. */
async function existingHome(folder: string): Promise<PostgresHome | undefined> {
  const data = await stat(path.join(folder, 'cluster', 'data')).catch(() => undefined);
  if (!data || data.uid === 0) return undefined;
  const account = { uid: data.uid, gid: data.gid };
  if (!(await canEnter(account, folder))) {
    throw new EmbeddedPostgresError(
      `The database in ${folder} belongs to user id ${account.uid}, who can no longer enter that folder: ` +
        `allow others to enter its parent folders (chmod o+x), or ${useOwnServer}.`,
    );
  }
  return { folder, account };
}

async function newHome(inPlace: string, elsewhere: string): Promise<PostgresHome> {
  const account = await ordinaryAccount();
  if (await canEnter(account, path.dirname(inPlace))) return ownedHome(inPlace, account);
  await mkdir(reachableFolder, { recursive: true });
  // The umask restricts the mode of mkdir.
  await chmod(reachableFolder, 0o755);
  return ownedHome(elsewhere, account);
}

async function ownedHome(folder: string, account: Account): Promise<PostgresHome> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chown(folder, account.uid, account.gid);
  return { folder, account };
}

const portFile = (folder: string): string => path.join(folder, 'port');

/** The stored port, so that the URL stays the same; a random one if it is taken or none is stored. */
export async function choosePort({ folder }: PostgresHome): Promise<number> {
  const stored = Number(await readFile(portFile(folder), 'utf8').catch(() => ''));
  return stored > 0 && (await isFreePort(stored)) ? stored : await freePort();
}

export async function storePort({ folder, account }: PostgresHome, port: number): Promise<void> {
  await writeFile(portFile(folder), String(port));
  if (account) await chown(portFile(folder), account.uid, account.gid);
}
