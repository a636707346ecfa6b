/** The whole service for a benchmark: its processes, a client, a data folder of its own that goes with it. */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { readConfig } from '../../core/config.ts';
import { freePort } from '../../core/launch/free-port.ts';
import { LaunchConfig, startService } from '../../core/launch/service.ts';
import { createLogger } from '../../core/logger.ts';

export interface BenchService {
  url: string;
  dataFolder: string;
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
  const service = await startService(config, createLogger('bench', config), () => process.exit(1));
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
    sandboxPort: config.SANDBOX_PORT,
    headers: { authorization: `Bearer ${token.access_token}`, 'content-type': 'application/json' },
    async stop() {
      await service.stop();
      await rm(dataFolder, { recursive: true, force: true });
    },
  };
}

export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
