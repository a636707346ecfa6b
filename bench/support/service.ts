/** Builds and starts the whole service for a benchmark, with a client and a temporary data folder. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from '../../build.ts';
import type * as ServiceModule from '../../core/cli/service.ts';
import { StartConfig } from '../../core/cli/service.ts';
import { readConfig } from '../../core/runtime/config.ts';
import { rootFolder } from '../../core/runtime/discover.ts';
import { freePort } from '../../core/runtime/free-port.ts';
import { createLogger } from '../../core/telemetry/logger.ts';

export interface BenchService {
  url: string;
  dataFolder: string;
  /** Folder of the built service. */
  folder: string;
  sandboxPort: number;
  headers: Record<string, string>;
  stop(): Promise<void>;
}

/**
 * Queues are in Redis when REDIS_URL is set, otherwise in PostgreSQL.
 * @param env additional environment variables of the service
 */
export async function startBenchService(env: Record<string, string> = {}): Promise<BenchService> {
  const dataFolder = await mkdtemp(path.join(os.tmpdir(), 'portal-bench-'));
  Object.assign(process.env, {
    NODE_ENV: 'development',
    LOG_LEVEL: 'error',
    DATA_DIR: dataFolder,
    PORT: String(await freePort()),
    SANDBOX_PORT: String(await freePort()),
    BOOTSTRAP_CLIENT_ID: 'bench',
    BOOTSTRAP_CLIENT_SECRET: 'bench',
    ...env,
  });
  const config = readConfig(StartConfig);
  const built = await buildService();
  const service = await built.startService(config, createLogger('bench', config), () => process.exit(1));
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: 'bench',
    client_secret: 'bench',
  });
  const response = await fetch(`${service.url}/oauth/token`, { method: 'POST', body });
  const token: unknown = await response.json();
  if (typeof token !== 'object' || token === null || !('access_token' in token))
    throw new Error('the token endpoint returned no token');
  return {
    url: service.url,
    dataFolder,
    folder: built.folder,
    sandboxPort: config.SANDBOX_PORT,
    headers: { authorization: `Bearer ${token.access_token}`, 'content-type': 'application/json' },
    async stop() {
      await service.stop();
      await rm(dataFolder, { recursive: true, force: true });
      await built.remove();
    },
  };
}

/** Inside the checkout, so that dependencies are found. */
const builds = path.join(rootFolder, '.data', 'bench-builds');

interface BuiltService extends Pick<typeof ServiceModule, 'startService'> {
  folder: string;
  remove(): Promise<void>;
}

export async function buildService(): Promise<BuiltService> {
  await mkdir(builds, { recursive: true });
  const folder = await mkdtemp(path.join(builds, 'service-'));
  await build(folder);
  const file = path.join(folder, 'core/cli/service.js');
  const { startService }: typeof ServiceModule = await import(pathToFileURL(file).href);
  // The started processes run JavaScript and must not inherit the tsx options of this process.
  process.execArgv.splice(0);
  return { startService, folder, remove: () => rm(folder, { recursive: true, force: true }) };
}
