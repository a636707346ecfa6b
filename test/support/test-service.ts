/** The service in this process, for one test file: real HTTP, real PostgreSQL, real queues, its own jobs if it likes. */

import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { pino } from 'pino';
import { inject } from 'vitest';
import { buildApp } from '../../api/app.ts';
import { ApiConfig } from '../../api/config.ts';
import { type LoadedOperation, loadOperations } from '../../api/http/load-operations.ts';
import { openServices } from '../../api/open-services.ts';
import type { ApiServices } from '../../api/services.ts';
import { type Parts, PartsConfig } from '../../core/app.ts';
import { insertCallback } from '../../core/callbacks/outbox.ts';
import { createCallbackSecrets } from '../../core/callbacks/secrets.ts';
import { createEffects } from '../../core/effects/ledger.ts';
import { createIdempotencyKeys } from '../../core/idempotency/keys.ts';
import { createCallBudgets } from '../../core/integrations/kit/call-budget-rows.ts';
import { openSystemGround } from '../../core/integrations/kit/context.ts';
import type { JobContract } from '../../core/jobs/contract.ts';
import {
  openQueues,
  type QueueBackend,
  timesForLock,
  type WorkerTimes,
  workerTimes,
} from '../../core/jobs/queues.ts';
import { createJobOutlook } from '../../core/jobs/repository/estimates.ts';
import { createJobEvents } from '../../core/jobs/repository/events.ts';
import { createWorkerSigns } from '../../core/jobs/repository/heartbeats.ts';
import { createJobInputs } from '../../core/jobs/repository/inputs.ts';
import { createJobRecords } from '../../core/jobs/repository/repository.ts';
import { openJobDesk } from '../../core/jobs/service.ts';
import { createOauthStore } from '../../core/oauth/tokens.ts';
import { openDatabase } from '../../core/postgres/client.ts';
import { createServiceSecrets } from '../../core/postgres/service-secrets.ts';
import { readConfig } from '../../core/runtime/config.ts';
import { openStore } from '../../core/storage/open-store.ts';
import { type Post, type StartedWorker, startWorker } from '../../workers/runtime/worker.ts';
import { type ApiClient, openApiClient } from './api-client.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { createTestDatabase } from './test-database.ts';

/** For `describe.each`: Redis is left out where there is none, which the global set-up prints. */
export const backends: readonly QueueBackend[] =
  inject('redisUrl') === undefined ? ['postgres'] : ['postgres', 'redis'];

export interface TestServiceOptions {
  backend?: QueueBackend;
  /** Where the sandbox answers; without it no outside system is configured. */
  sandboxUrl?: string;
  /** Environment variables of the API, and of the outside systems. */
  env?: Record<string, string>;
  /** Besides the service's own. */
  operations?: readonly LoadedOperation[];
  contracts?: ReadonlyMap<string, JobContract>;
  /** Where the service thinks that PostgreSQL and Redis are, such as a line cutter before them. */
  databaseUrl?: (url: string) => string | Promise<string>;
  redisUrl?: (url: string) => string | Promise<string>;
  /**
   * Dead workers are noticed within a second; only for jobs that take no time, for on a busy machine a living worker is
   * silent for as long.
   */
  hasty?: boolean;
  /** Dead workers are noticed within one and a half times this; absent: as usual. */
  lockSeconds?: number;
}

export interface TestService extends ApiServices {
  /** The API's address, without the base path. */
  origin: string;
  database: Parts['database'];
  databaseUrl: string;
  operations: readonly LoadedOperation[];
  dataFolder: string;
  /** A client of the API with these scopes, as `clientId` or as one that nobody else is. */
  client(scopes: readonly string[], clientId?: string): Promise<ApiClient>;
  startWorker(posts: readonly Post[], graceSeconds?: number): StartedWorker;
  close(): Promise<void>;
}

function timesOf({ hasty = false, lockSeconds }: TestServiceOptions): WorkerTimes {
  if (lockSeconds !== undefined) return timesForLock(lockSeconds);
  return hasty ? { ...workerTimes, lockDuration: 300, stalledInterval: 100 } : workerTimes;
}

export async function startTestService(name: string, options: TestServiceOptions = {}): Promise<TestService> {
  const logger = pino({ level: process.env.TEST_LOG_LEVEL ?? 'silent' });
  const dataFolder = temporaryFolder();
  const testDatabase = await createTestDatabase(name);
  const databaseUrl = (await options.databaseUrl?.(testDatabase.url)) ?? testDatabase.url;
  const env = { NODE_ENV: 'test', DATA_DIR: dataFolder, PUBLIC_URL: 'http://portal.example', ...options.env };
  const config = { ...readConfig(PartsConfig, env), ...readConfig(ApiConfig, env) };

  const database = openDatabase({ url: databaseUrl, poolSize: 10, logger, applicationName: 'portal-test' });
  const redisUrl = options.backend === 'redis' ? inject('redisUrl') : undefined;
  const prefix = `test-${randomUUID()}`;
  const queues = await openQueues(
    {
      redisUrl: redisUrl && ((await options.redisUrl?.(redisUrl)) ?? redisUrl),
      databaseUrl,
      prefix,
    },
    logger,
    timesOf(options),
  );
  const records = createJobRecords(database, {
    resultRetentionHours: config.RESULT_RETENTION_HOURS,
    insertCallback,
  });
  const operations = [...(await loadOperations()), ...(options.operations ?? [])];
  const contracts = options.contracts ?? new Map();
  const services = openServices(
    {
      logger,
      database,
      databaseUrl,
      queues,
      records,
      desk: openJobDesk(queues, records, logger),
      events: createJobEvents(database),
      outlook: createJobOutlook(database),
      idempotency: createIdempotencyKeys(database),
      inputs: createJobInputs(database),
      callbackSecrets: createCallbackSecrets(database),
      oauth: createOauthStore(database),
      secrets: createServiceSecrets(database),
      signs: createWorkerSigns(database),
      results: await openStore(config),
      systems: openSystemGround({
        env,
        sandboxUrl: options.sandboxUrl,
        databaseUrl,
        budgets: createCallBudgets(database),
        logger,
      }),
      // In a test nothing comes late.
      effects: createEffects(database, logger, { settlingSeconds: 0 }),
    },
    { config, operations, contracts, redisUrl, redisPrefix: prefix },
  );
  const app = await buildApp(services, operations);
  const origin = await app.listen({ port: 0, host: '127.0.0.1' });
  const workers: StartedWorker[] = [];

  return {
    ...services,
    origin,
    database,
    databaseUrl,
    operations,
    dataFolder: path.resolve(dataFolder),
    async client(scopes, clientId = `client-${randomUUID()}`) {
      const clientSecret = randomUUID();
      const { clients, oauth } = services;
      await clients.put(
        { clientId, clientSecret, name: clientId, scopes: [...scopes] },
        { kind: 'command', name: 'test' },
      );
      const client = await oauth.authenticate(clientId, clientSecret);
      if (!client) throw new Error('a client that was just made is not known');
      const { accessToken } = await oauth.issueToken(client, scopes);
      return openApiClient({ origin, operations, accessToken, clientId });
    },
    startWorker(posts, graceSeconds = 10) {
      const worker = startWorker(posts, { ...services, databaseUrl }, { contracts, graceSeconds });
      workers.push(worker);
      return worker;
    },
    async close() {
      await Promise.all(workers.map(worker => worker.stop()));
      await app.close();
      await services.closeServices();
      if (queues.backend === 'redis') {
        await Promise.all(
          [...contracts.values()].map(one => queues.boardQueue(one).obliterate({ force: true })),
        );
      }
      await queues.close();
      await database.close();
      await testDatabase.drop();
    },
  };
}
