/** Runs the whole service on one machine: embedded PostgreSQL, API, worker, scheduler and, outside production, the sandbox. */
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { newCredential } from '../oauth/credentials.ts';
import { configuredDatabase, DatabaseConfig } from '../postgres/client.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../postgres/embedded/server.ts';
import { migrateDatabase } from '../postgres/migrate.ts';
import { isSet, withSettings } from '../runtime/config.ts';
import { rootFolder } from '../runtime/discover.ts';
import { requireFreePort } from '../runtime/free-port.ts';
import { productionGaps, publicUrl, SandboxConfig, ServiceConfig } from '../runtime/service-config.ts';
import { StorageConfig } from '../storage/config.ts';
import type { Logger } from '../telemetry/logger.ts';
import { lockDataFolder } from './start-lock.ts';
import { type SupervisedProcess, superviseEmbeddedPostgres, superviseProcess } from './supervision.ts';

export const StartConfig = z.object({
  ...ServiceConfig.shape,
  ...DatabaseConfig.shape,
  ...StorageConfig.shape,
  ...SandboxConfig.shape,
});
export type StartConfig = z.infer<typeof StartConfig>;

/** Variables of the development logins. */
const Logins = z.object({
  BOOTSTRAP_CLIENT_ID: z.string(),
  BOOTSTRAP_CLIENT_SECRET: z.string(),
  OPS_USER: z.string(),
  OPS_PASSWORD: z.string(),
});
type Logins = z.infer<typeof Logins>;

export interface Service {
  /** URL of the API with the base path. */
  url: string;
  /** The generated development logins; empty in production and when all are configured. */
  logins: Partial<Logins>;
  /** Stops the child processes, then the embedded PostgreSQL. */
  stop(): Promise<void>;
}

/**
 * Settings of glibc, which reads them at process start: fewer arenas, and blocks of 256 kB or more returned to the system
 * at once. A worker that resizes photos uses 380 MB instead of 660 MB.
 */
const memorySettings = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '262144' };

/** Time between a child's grace period and SIGKILL. */
const killMarginMs = 10_000;

/**
 * @param onGivenUp a process cannot start; the others still run
 * @param prepare called with the embedded database before a process opens it
 */
export async function startService(
  config: StartConfig,
  logger: Logger,
  onGivenUp: () => void,
  prepare: (databaseUrl: string) => Promise<void> = async () => undefined,
): Promise<Service> {
  productionGaps(config);
  const configured = configuredDatabase(config);
  const dataFolder = path.resolve(config.DATA_DIR);
  const unlock = await lockDataFolder(dataFolder);
  const hasSandbox = config.NODE_ENV !== 'production';
  let postgres: EmbeddedPostgres | undefined;
  try {
    await requireFreePort('PORT', config.PORT, config.HOST);
    if (hasSandbox) await requireFreePort('SANDBOX_PORT', config.SANDBOX_PORT, config.SANDBOX_HOST);
    if (!configured) postgres = await startEmbeddedPostgres({ dataDir: dataFolder, logger });
    if (postgres) await prepare(postgres.url);
    // Once, so that a database that cannot be used is reported once.
    await migrateDatabase({ url: configured?.directUrl ?? postgres?.url ?? '', logger });
  } catch (error) {
    await postgres?.stop();
    await unlock();
    throw error;
  }
  const logins = config.NODE_ENV === 'development' ? await missingLogins(dataFolder) : {};
  const env = withSettings(
    { ...memorySettings, ...process.env },
    { ...logins, DATA_DIR: dataFolder, ...(postgres && { DATABASE_URL: postgres.url }) },
  );

  const children = new Map<string, SupervisedProcess>();
  const add = (name: string, ...file: string[]) => {
    const ownEnv = { ...env, METRICS_PORT: metricsPortOf(name, config) };
    children.set(name, superviseProcess(name, path.join(rootFolder, ...file), ownEnv, { logger, onGivenUp }));
  };
  if (hasSandbox) add('sandbox', 'sandbox', sourceOf('main'));
  add('api', 'api', sourceOf('main'));
  add('worker', 'workers', sourceOf('main'));
  add('scheduler', 'workers', sourceOf('scheduler'));

  const supervision = postgres && superviseEmbeddedPostgres(postgres.url, dataFolder, logger);
  const stop = async () => {
    await supervision?.stop();
    const killAfterMs = config.SHUTDOWN_GRACE_SECONDS * 1_000 + killMarginMs;
    await Promise.all([...children.values()].map(child => child.stop(killAfterMs)));
    await postgres?.stop();
    await unlock();
  };
  try {
    const [apiUrl] = await Promise.all([
      children.get('api')?.ready,
      ...[...children.values()].map(child => child.ready),
    ]);
    return { url: (apiUrl ?? publicUrl(config)) + config.BASE_PATH, logins, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The processes of one machine cannot share a port, so they have the ones after that of `npm start`. */
export function metricsPortOf(name: string, { METRICS_PORT: first }: Pick<StartConfig, 'METRICS_PORT'>): string {
  const place = ['api', 'worker', 'scheduler'].indexOf(name);
  return first === undefined || place < 0 ? '' : String(first + 1 + place);
}

/**
 * Development logins for those that the environment does not set: generated once and stored in the data folder, so that
 * scripts that use them keep working.
 */
async function missingLogins(dataFolder: string): Promise<Partial<Logins>> {
  const file = path.join(dataFolder, 'development-logins.json');
  if (!existsSync(file)) {
    const secrets = { BOOTSTRAP_CLIENT_SECRET: newCredential('secret'), OPS_PASSWORD: newCredential('secret') };
    const logins: Logins = { BOOTSTRAP_CLIENT_ID: 'development', OPS_USER: 'ops', ...secrets };
    await writeFile(file, JSON.stringify(logins, null, 2), { mode: 0o600 });
  }
  const { OPS_USER, OPS_PASSWORD, ...client } = Logins.parse(JSON.parse(await readFile(file, 'utf8')));
  return { ...(!isSet('BOOTSTRAP_CLIENT_ID') && client), ...(!isSet('OPS_USER') && { OPS_USER, OPS_PASSWORD }) };
}

/** TypeScript in a checkout, JavaScript in a build, as this file. */
const sourceOf = (name: string): string => name + path.extname(import.meta.filename);
