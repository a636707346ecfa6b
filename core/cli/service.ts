/** The whole service on one machine: embedded PostgreSQL, API, worker, scheduler and, in development, the sandbox. */

import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { newCredential } from '../oauth/credentials.ts';
import { DatabaseConfig } from '../postgres/client.ts';
import { startEmbeddedPostgres } from '../postgres/embedded/server.ts';
import { isSet, withSettings } from '../runtime/config.ts';
import { rootFolder } from '../runtime/discover.ts';
import { publicUrl, SandboxConfig, ServiceConfig } from '../runtime/service-config.ts';
import { StorageConfig } from '../storage/config.ts';
import type { Logger } from '../telemetry/logger.ts';
import { lockDataFolder } from './start-lock.ts';
import { keepPostgres, type SupervisedProcess, superviseProcess } from './supervision.ts';

export const LaunchConfig = z.object({
  ...ServiceConfig.shape,
  ...DatabaseConfig.shape,
  ...StorageConfig.shape,
  ...SandboxConfig.shape,
});
export type LaunchConfig = z.infer<typeof LaunchConfig>;

export interface Service {
  /** Where the API answers, with the base path. */
  url: string;
  /** The logins that were made for development; none in production or where all are configured. */
  logins: Partial<Logins>;
  /** Stops the children, then the embedded PostgreSQL. */
  stop(): Promise<void>;
}

/**
 * glibc keeps free memory for each thread, and more of it the larger the pieces once were: with fewer such stores, and
 * what takes 256 kB or more given back at once, a worker that cuts photos holds 380 MB instead of 660. It reads this when
 * a process starts; other systems do not know it.
 */
const memory = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '262144' };

/** How much longer than its own grace period a child gets before it is killed, in ms. */
const killMarginMs = 10_000;

/** @param onGivenUp a process refused its configuration; the others still run */
export async function startService(
  config: LaunchConfig,
  logger: Logger,
  onGivenUp: () => void,
  /** What is to be done with the embedded database before any process opens it. */
  prepare: (databaseUrl: string) => Promise<void> = async () => undefined,
): Promise<Service> {
  const dataFolder = path.resolve(config.DATA_DIR);
  const unlock = await lockDataFolder(dataFolder);
  const postgres = config.DATABASE_URL
    ? undefined
    : await startEmbeddedPostgres({ dataDir: dataFolder, logger });
  if (postgres) await prepare(postgres.url);
  const logins = config.NODE_ENV === 'development' ? await missingLogins(dataFolder) : {};
  const env = withSettings(
    { ...memory, ...process.env },
    { ...logins, ...(postgres && { DATABASE_URL: postgres.url }) },
  );

  const children = new Map<string, SupervisedProcess>();
  const add = (name: string, ...file: string[]) =>
    children.set(name, superviseProcess(name, path.join(rootFolder, ...file), env, logger, onGivenUp));
  if (config.NODE_ENV !== 'production') add('sandbox', 'sandbox', sourceOf('main'));
  add('api', 'api', sourceOf('main'));
  add('worker', 'workers', sourceOf('main'));
  add('scheduler', 'workers', sourceOf('scheduler'));

  const watch = postgres && keepPostgres(postgres.url, dataFolder, logger);
  const stop = async () => {
    await watch?.stop();
    const killAfterMs = config.SHUTDOWN_GRACE_SECONDS * 1_000 + killMarginMs;
    await Promise.all([...children.values()].map(child => child.stop(killAfterMs)));
    await postgres?.stop();
    await unlock();
  };
  try {
    const [listening] = await Promise.all([
      children.get('api')?.ready,
      ...[...children.values()].map(child => child.ready),
    ]);
    return { url: (listening ?? publicUrl(config)) + config.BASE_PATH, logins, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A login that the environment sets is left as it is. */
async function missingLogins(dataFolder: string): Promise<Partial<Logins>> {
  const made = await developmentLogins(dataFolder);
  return {
    ...(!isSet('BOOTSTRAP_CLIENT_ID') && {
      BOOTSTRAP_CLIENT_ID: made.BOOTSTRAP_CLIENT_ID,
      BOOTSTRAP_CLIENT_SECRET: made.BOOTSTRAP_CLIENT_SECRET,
    }),
    ...(!isSet('OPS_USER') && { OPS_USER: made.OPS_USER, OPS_PASSWORD: made.OPS_PASSWORD }),
  };
}

/** TypeScript in a checkout, JavaScript in a build: the same as this file. */
const sourceOf = (name: string): string => name + path.extname(import.meta.filename);

const Logins = z.object({
  BOOTSTRAP_CLIENT_ID: z.string(),
  BOOTSTRAP_CLIENT_SECRET: z.string(),
  OPS_USER: z.string(),
  OPS_PASSWORD: z.string(),
});
export type Logins = z.infer<typeof Logins>;

/** The same at every start, so that a script that knows them goes on working. */
export async function developmentLogins(dataFolder: string): Promise<Logins> {
  const file = path.join(dataFolder, 'development-logins.json');
  const kept = Logins.safeParse(await readJson(file));
  if (kept.success) return kept.data;
  const made: Logins = {
    BOOTSTRAP_CLIENT_ID: 'development',
    BOOTSTRAP_CLIENT_SECRET: newCredential('secret'),
    OPS_USER: 'ops',
    OPS_PASSWORD: newCredential('secret'),
  };
  await writeFile(file, JSON.stringify(made, null, 2), { mode: 0o600 });
  return made;
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    return undefined;
  }
}
