/** API and workers for brochures as separate processes, with their own PostgreSQL and Redis, which a test may break. */

import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { QueueBackend } from '../../core/jobs/queues.ts';
import { JobResource } from '../../core/jobs/resource.ts';
import type { EmbeddedPostgres } from '../../core/postgres/embedded/server.ts';
import { type PhotoServer, startPhotoServer } from './photo-server.ts';
import { pollPause } from './poll-pause.ts';
import { linkBrowserFolder, type ServiceProcess, startProcess, stopProcesses } from './processes.ts';
import { removeServer, startOwnPostgres, temporaryFolder } from './test-postgres.ts';
import { startRedis, type TestRedis } from './test-redis.ts';

const hasRedis = spawnSync('redis-server', ['--version']).status === 0;
if (!hasRedis) process.stdout.write('\n SKIPPED: processes on Redis (no redis-server found)\n\n');

/** For `describe.each`. */
export const runningBackends: readonly QueueBackend[] = hasRedis ? ['postgres', 'redis'] : ['postgres'];

export interface RunningService {
  photos: PhotoServer;
  /** All started processes, the API first. */
  processes: ServiceProcess[];
  /** Undefined with queues in PostgreSQL. */
  redis: TestRedis | undefined;
  dataDir: string;
  startWorker(): Promise<ServiceProcess>;
  /** Restarts PostgreSQL at the same address. */
  startPostgres(): Promise<EmbeddedPostgres>;
  startRedis(): Promise<void>;
  /** Submits the listing `count` times in one request; undefined when the API does not accept it. */
  submit(listing: Record<string, unknown>, count?: number): Promise<JobResource | undefined>;
  /** Waits until the job satisfies the condition; ignores error responses. */
  waitForJob(id: string, condition: (job: JobResource) => boolean, timeoutMs?: number): Promise<JobResource>;
  /** All jobs (at most 200). */
  jobs(): Promise<JobResource[]>;
  close(): Promise<void>;
}

export async function startRunningService(backend: QueueBackend): Promise<RunningService> {
  const dataDir = await temporaryFolder();
  linkBrowserFolder(dataDir);
  const photos = await startPhotoServer();
  const startPostgres = () => startOwnPostgres(dataDir);
  const { url: databaseUrl } = await startPostgres();
  let redis = backend === 'redis' ? await startRedis() : undefined;
  const secret = randomUUID();
  const env = {
    NODE_ENV: 'test',
    LOG_LEVEL: 'info',
    PORT: '0',
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    BOOTSTRAP_CLIENT_ID: 'test',
    BOOTSTRAP_CLIENT_SECRET: secret,
    EGRESS_ALLOW: `127.0.0.1:${photos.port}`,
    ...(redis && { REDIS_URL: redis.url }),
  };
  const api = startProcess('api/main.ts', { env });
  const processes = [api];
  const base = `${await api.ready}/v2`;
  const accessToken = await tokenOf(base, secret);
  const send = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(base + path, { ...init, headers: { authorization: `Bearer ${accessToken}`, ...init.headers } });

  return {
    photos,
    processes,
    dataDir,
    get redis() {
      return redis;
    },
    startPostgres,
    async startRedis() {
      if (redis) redis = await startRedis({ port: redis.port, folder: redis.folder });
    },
    async startWorker() {
      const worker = startProcess('workers/main.ts', { args: ['pdf'], env });
      processes.push(worker);
      await worker.ready;
      return worker;
    },
    async submit(listing, count = 1) {
      const body = JSON.stringify({ list: Array.from({ length: count }, () => listing) });
      const headers = { 'content-type': 'application/json' };
      const response = await send('/apps/portal/v1/pdf', { method: 'POST', headers, body });
      const responseBody: unknown = await response.json();
      return response.status === 202 ? JobResource.parse(responseBody) : undefined;
    },
    waitForJob: (id, condition, timeoutMs = 240_000) => waitForJob(() => send(`/jobs/${id}`), condition, timeoutMs),
    async jobs() {
      const page = z.object({ items: z.array(JobResource) });
      return page.parse(await (await send('/jobs?limit=200')).json()).items;
    },
    async close() {
      photos.release();
      await stopProcesses(processes);
      await photos.close();
      await redis?.stop();
      await removeServer(dataDir);
    },
  };
}

async function waitForJob(
  getJob: () => Promise<Response>,
  condition: (job: JobResource) => boolean,
  timeoutMs: number,
): Promise<JobResource> {
  const startedAt = Date.now();
  let last = '';
  while (Date.now() - startedAt < timeoutMs) {
    const response = await getJob();
    last = await response.text();
    const job = response.status === 200 ? JobResource.parse(JSON.parse(last)) : undefined;
    if (job && condition(job)) return job;
    await pollPause(startedAt);
  }
  throw new Error(`the job did not reach the expected condition; last response: ${last}`);
}

async function tokenOf(base: string, secret: string): Promise<string> {
  const response = await fetch(`${base}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`test:${secret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  return z.object({ access_token: z.string() }).parse(await response.json()).access_token;
}
