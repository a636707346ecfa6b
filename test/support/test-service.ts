/** The service in the test's process, for one test file: real HTTP, PostgreSQL and queues; job kinds may be added. */

import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { type Logger, pino } from 'pino';
import { afterAll, beforeAll, inject } from 'vitest';
import type { z } from 'zod';
import { buildApp } from '../../api/app.ts';
import { ApiConfig } from '../../api/config.ts';
import { type LoadedOperation, loadOperations } from '../../api/http/load-operations.ts';
import { openServices } from '../../api/open-services.ts';
import type { ApiServices } from '../../api/services.ts';
import { AppConfig, type AppContext, assembleApp } from '../../core/app.ts';
import type { CircuitPauses } from '../../core/integrations/kit/circuit.ts';
import { openJobChanges } from '../../core/jobs/changes.ts';
import type { JobContract } from '../../core/jobs/contract.ts';
import {
  openQueues,
  type QueueBackend,
  type Queues,
  timesForLock,
  type WorkerTimes,
  workerTimes,
} from '../../core/jobs/queues.ts';
import { openDatabase } from '../../core/postgres/client.ts';
import { redisAddress } from '../../core/redis/connection.ts';
import { readConfig } from '../../core/runtime/config.ts';
import { type ServedKind, startWorker } from '../../workers/runtime/worker.ts';
import { type ApiClient, openApiClient } from './api-client.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { createTestDatabase } from './test-database.ts';

/** For `describe.each`; without Redis if there is none, which the global setup prints. */
export const backends: readonly QueueBackend[] =
  inject('redisUrl') === undefined ? ['postgres'] : ['postgres', 'redis'];

export interface TestServiceOptions {
  backend?: QueueBackend;
  /** URL of the sandbox; without it, no vendor system is configured. */
  sandboxUrl?: string;
  /** Environment variables of the API and the integrations. */
  env?: Record<string, string>;
  /** Default: silent, or with the level TEST_LOG_LEVEL. */
  logger?: Logger;
  /** Additional operations. */
  operations?: readonly LoadedOperation[];
  contracts?: ReadonlyMap<string, JobContract>;
  /** Replaces the URLs of PostgreSQL and Redis, for example by a TCP proxy. */
  databaseUrl?: (url: string) => string | Promise<string>;
  redisUrl?: (url: string) => string | Promise<string>;
  /** A pooler before PostgreSQL, which is still used directly for what needs a session. */
  poolerUrl?: (url: string) => string;
  /** Prefix of the keys in Redis; default: a new one. */
  redisPrefix?: string;
  /** Looks each 100 ms for jobs whose lock has expired, as that of a worker of `openShortLockQueues`. */
  fastRecovery?: boolean;
  /** Pauses of the circuits of vendor systems; default: as in production. */
  circuitPauses?: CircuitPauses;
  /** Whether changes of jobs are announced; default: true. Otherwise every process polls. */
  announces?: boolean;
  /** Detects dead workers within 1.5 times this; default: the production setting. */
  lockSeconds?: number;
}

export interface TestService extends ApiServices {
  /** The API's origin, without the base path. */
  origin: string;
  database: AppContext['database'];
  databaseUrl: string;
  changes: AppContext['changes'];
  operations: readonly LoadedOperation[];
  dataFolder: string;
  /** An API client with these scopes; default: a new client id. */
  client(scopes: readonly string[], clientId?: string): Promise<ApiClient>;
  startWorker(kinds: readonly ServedKind[], graceSeconds?: number): ReturnType<typeof startWorker>;
  /** The same queues for a worker that dies: its lock expires after 300 ms. Those of live workers must not: a busy machine is late. */
  openShortLockQueues(): Promise<Queues>;
  close(): Promise<void>;
}

function timesOf({ fastRecovery = false, lockSeconds }: TestServiceOptions): WorkerTimes {
  if (lockSeconds !== undefined) return timesForLock(lockSeconds);
  return fastRecovery ? { ...workerTimes, stalledInterval: 100 } : workerTimes;
}

export async function startTestService(name: string, options: TestServiceOptions = {}): Promise<TestService> {
  const dataFolder = temporaryFolder();
  const testDatabase = await createTestDatabase(name);
  const databaseUrl = (await options.databaseUrl?.(testDatabase.url)) ?? testDatabase.url;
  const env = {
    NODE_ENV: 'test',
    DATA_DIR: dataFolder,
    PUBLIC_URL: 'http://portal.example',
    // Vendor calls of a test are never late.
    SETTLING_SECONDS: '0',
    // Here API, workers, sandbox and tests share one event loop.
    MAX_EVENT_LOOP_DELAY_MS: '0',
    ...options.env,
  };
  const config = { ...readConfig(AppConfig, env), ...readConfig(ApiConfig, env) };
  const redisUrl = options.backend === 'redis' ? inject('redisUrl') : undefined;
  const redis = redisAddress(config) ?? redisAddress({ REDIS_URL: redisUrl, REDIS_TLS: false });
  const redisPrefix = options.redisPrefix ?? `test-${randomUUID()}`;
  const context = await openContext(options, { env, config, databaseUrl, redisUrl, redisPrefix });
  const { database, queues } = context;
  const operations = [...(await loadOperations()), ...(options.operations ?? [])];
  const { contracts } = context;
  const services = openServices(context, { config, operations, redis, redisPrefix });
  const app = await buildApp(services, operations);
  const origin = await app.listen({ port: 0, host: '127.0.0.1' });
  const workers: ReturnType<typeof startWorker>[] = [];

  return {
    ...services,
    origin,
    database,
    databaseUrl,
    changes: context.changes,
    openShortLockQueues: context.openShortLockQueues,
    operations,
    dataFolder: path.resolve(dataFolder),
    async client(scopes, clientId = `client-${randomUUID()}`) {
      return openApiClient({
        origin,
        operations,
        accessToken: await createToken(services, clientId, scopes),
        clientId,
      });
    },
    startWorker(kinds, graceSeconds = 10) {
      const worker = startWorker(
        kinds,
        { ...services, database, changes: context.changes },
        { contracts, graceSeconds },
      );
      workers.push(worker);
      return worker;
    },
    async close() {
      await Promise.all(workers.map(worker => worker.stop()));
      await app.close();
      await services.closeServices();
      if (queues.backend === 'redis') {
        await Promise.all([...contracts.values()].map(one => queues.boardQueue(one).obliterate({ force: true })));
      }
      await context.close();
      await testDatabase.drop();
    },
  };
}

/**
 * Opens the service before the tests of a file or of a `describe` block, and closes it after them. Its members are available
 * in hooks and tests.
 * @param options read when the hook runs, so that they may contain what an earlier hook has started
 */
export function useService(name: string, options: () => TestServiceOptions = () => ({})): TestService {
  const service: TestService = Object.create(null);
  let started: TestService | undefined;
  beforeAll(async () => {
    started = await startTestService(name, options());
    Object.assign(service, started);
  });
  afterAll(() => started?.close());
  return service;
}

/** A client for the tests of a file or of a `describe` block; its members are available in hooks and tests. */
export function useClient(service: TestService, scopes: readonly string[], clientId?: string): ApiClient {
  const client: ApiClient = Object.create(null);
  beforeAll(async () => {
    Object.assign(client, await service.client(scopes, clientId));
  });
  return client;
}

interface Environment {
  env: Record<string, string>;
  config: z.output<typeof AppConfig>;
  databaseUrl: string;
  redisUrl: string | undefined;
  redisPrefix: string;
}

/** Opens what every process shares, with settings for tests. */
async function openContext(
  options: TestServiceOptions,
  { env, config, databaseUrl, redisUrl, redisPrefix }: Environment,
) {
  const logger = options.logger ?? pino({ level: process.env.TEST_LOG_LEVEL ?? 'silent' });
  const database = openDatabase({
    url: options.poolerUrl?.(databaseUrl) ?? databaseUrl,
    directUrl: databaseUrl,
    poolSize: 10,
    logger,
    applicationName: 'portal-test',
  });
  const redis =
    redisAddress(config) ??
    redisAddress({ REDIS_URL: redisUrl && ((await options.redisUrl?.(redisUrl)) ?? redisUrl), REDIS_TLS: false });
  const addresses = { redis, databaseUrl, prefix: redisPrefix };
  const openWith = (times: WorkerTimes) => openQueues(addresses, logger, times);
  const queues = await openWith(timesOf(options));
  const changes = openJobChanges({ redis, prefix: redisPrefix, database, logger });
  const contracts = options.contracts ?? new Map<string, JobContract>();
  const vendors = {
    env,
    sandboxUrl: options.sandboxUrl,
    ...(options.circuitPauses && { circuitPauses: options.circuitPauses }),
  };
  const announced = options.announces === false ? { ...changes, announce: () => undefined } : changes;
  const app = await assembleApp({ config, logger, database, queues, changes: announced, contracts, vendors });
  const openShortLockQueues = () => openWith({ ...workerTimes, lockDuration: 300, stalledInterval: 100 });
  return { ...app, openShortLockQueues };
}

/** Creates a client and issues an access token for it. */
async function createToken(
  { clients, oauth }: Pick<ApiServices, 'clients' | 'oauth'>,
  clientId: string,
  scopes: readonly string[],
): Promise<string> {
  const clientSecret = randomUUID();
  await clients.put({ clientId, clientSecret, name: clientId, scopes: [...scopes] }, { kind: 'command', name: 'test' });
  const client = await oauth.authenticate(clientId, clientSecret);
  if (!client) throw new Error(`the new client ${clientId} cannot authenticate`);
  const { accessToken } = await oauth.issueToken(client, scopes);
  return accessToken;
}
