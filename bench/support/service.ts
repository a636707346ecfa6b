/** The whole service for a benchmark, built as it is shipped: its processes, a client, a data folder that goes with it. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../../core/cli/free-port.ts';
import type * as ServiceModule from '../../core/cli/service.ts';
import { LaunchConfig } from '../../core/cli/service.ts';
import { readConfig } from '../../core/runtime/config.ts';
import { rootFolder } from '../../core/runtime/discover.ts';
import { createLogger } from '../../core/runtime/logger.ts';

export interface BenchService {
  url: string;
  dataFolder: string;
  /** Where the built service lies. */
  folder: string;
  sandboxPort: number;
  headers: Record<string, string>;
  stop(): Promise<void>;
}

/**
 * Queues on Redis when REDIS_URL is set, else in PostgreSQL, as in production.
 * @param env more environment variables of the service
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
  const config = readConfig(LaunchConfig);
  const built = await buildService();
  const service = await built.startService(config, createLogger('bench', config), () => process.exit(1));
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: 'bench',
    client_secret: 'bench',
  });
  const answer = await fetch(`${service.url}/oauth/token`, { method: 'POST', body });
  const token: unknown = await answer.json();
  if (typeof token !== 'object' || token === null || !('access_token' in token)) throw new Error('no token');
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

/** Inside the checkout, where the dependencies are found. */
const builds = path.join(rootFolder, '.data', 'bench-builds');

interface BuiltService extends Pick<typeof ServiceModule, 'startService'> {
  folder: string;
  remove(): Promise<void>;
}

async function buildService(): Promise<BuiltService> {
  await mkdir(builds, { recursive: true });
  const folder = await mkdtemp(path.join(builds, 'service-'));
  const program = path.join(rootFolder, 'core/cli/build.ts');
  await promisify(execFile)(process.execPath, ['--import', 'tsx', program, folder], { cwd: rootFolder });
  const file = path.join(folder, 'core/cli/service.js');
  const { startService }: typeof ServiceModule = await import(pathToFileURL(file).href);
  // What this process was started with, tsx, is nothing for those that run JavaScript.
  process.execArgv.splice(0);
  return { startService, folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
