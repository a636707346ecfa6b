/** The service in this process, for one test file: real HTTP, real PostgreSQL, real queues, its own jobs if it likes. */
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { pino } from 'pino';
import { inject } from 'vitest';
import { buildApp } from '../../api/app.ts';
import { ApiConfig } from '../../api/config.ts';
import { openJobTimes } from '../../api/job-times.ts';
import { openJobWatch } from '../../api/job-watch.ts';
import { type LoadedOperation, loadOperations } from '../../api/load-operations.ts';
import { openOauthThrottle } from '../../api/oauth-throttle.ts';
import { allScopes } from '../../api/scopes.ts';
import type { ApiServices } from '../../api/services.ts';
import { openStreamSlots } from '../../api/stream-slots.ts';
import { readConfig } from '../../core/config.ts';
import { createCallbackSecrets } from '../../core/db/callback-secrets.ts';
import { openDatabase } from '../../core/db/client.ts';
import { createIdempotencyKeys } from '../../core/db/idempotency.ts';
import { createJobEvents } from '../../core/db/job-events.ts';
import { createJobInputs } from '../../core/db/job-inputs.ts';
import { createJobOutlook } from '../../core/db/job-outlook.ts';
import { createJobRecords, jobChannel } from '../../core/db/jobs.ts';
import { listen } from '../../core/db/listen.ts';
import { createOauthStore } from '../../core/db/oauth.ts';
import { createOauthClients } from '../../core/db/oauth-clients.ts';
import { createServiceSecrets } from '../../core/db/service-secrets.ts';
import { createWorkerSigns } from '../../core/db/worker-signs.ts';
import type { JobContract } from '../../core/jobs/define-job.ts';
import { openJobDesk } from '../../core/jobs/job-desk.ts';
import { openQueues, type QueueBackend, workerTimes } from '../../core/jobs/queues.ts';
import { type Parts, PartsConfig } from '../../core/parts.ts';
import { openStore } from '../../core/storage/open-store.ts';
import { type Post, type StartedWorker, startWorker } from '../../workers/worker.ts';
import { type ApiClient, openApiClient } from './api-client.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { createTestDatabase } from './test-database.ts';

/** For `describe.each`: Redis is left out where there is none, which the global set-up prints. */
export const backends: readonly QueueBackend[] =
  inject('redisUrl') === undefined ? ['postgres'] : ['postgres', 'redis'];

export interface TestServiceOptions {
  backend?: QueueBackend;
  /** Environment variables of the API. */
  env?: Record<string, string>;
  /** Besides the service's own. */
  operations?: readonly LoadedOperation[];
  contracts?: ReadonlyMap<string, JobContract>;
  /** Where the service thinks that PostgreSQL and Redis are, such as a line cutter before them. */
  databaseUrl?: (url: string) => string | Promise<string>;
  redisUrl?: (url: string) => string | Promise<string>;
  /** Dead workers are noticed within a second. */
  hasty?: boolean;
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

export async function startTestService(name: string, options: TestServiceOptions = {}): Promise<TestService> {
  const logger = pino({ level: process.env.TEST_LOG_LEVEL ?? 'silent' });
  const dataFolder = temporaryFolder();
  const testDatabase = await createTestDatabase(name);
  const databaseUrl = (await options.databaseUrl?.(testDatabase.url)) ?? testDatabase.url;
  const env = { NODE_ENV: 'test', DATA_DIR: dataFolder, ...options.env };
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
    options.hasty ? { ...workerTimes, lockDuration: 300, stalledInterval: 100 } : workerTimes,
  );
  const records = createJobRecords(database, config.RESULT_RETENTION_HOURS);
  const watch = openJobWatch(records);
  const changes = listen(databaseUrl, jobChannel, watch.changed, { logger });
  const oauth = createOauthStore(database);
  const clients = createOauthClients(database);
  const throttle = openOauthThrottle(
    { tokensPerMinute: config.TOKENS_PER_MINUTE, redisUrl, pool: database.pool, prefix },
    logger,
  );
  const operations = [...(await loadOperations()), ...(options.operations ?? [])];
  const contracts = options.contracts ?? new Map();
  const outlook = createJobOutlook(database);
  const services: ApiServices = {
    config,
    publicUrl: 'http://portal.example',
    logger,
    contracts,
    queues,
    desk: openJobDesk(queues, records, logger),
    records,
    events: createJobEvents(database),
    outlook,
    times: openJobTimes(outlook),
    idempotency: createIdempotencyKeys(database),
    inputs: createJobInputs(database),
    watch,
    streams: openStreamSlots(config.MAX_EVENT_STREAMS),
    callbackSecrets: createCallbackSecrets(database),
    oauth,
    clients,
    throttle,
    scopes: allScopes(operations),
    secrets: createServiceSecrets(database),
    signs: createWorkerSigns(database),
    results: await openStore(config),
    pingDatabase: async () => void (await database.pool.query('select 1')),
  };
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
      const parts = { ...services, databaseUrl };
      const worker = startWorker(posts, parts, { contracts, graceSeconds });
      workers.push(worker);
      return worker;
    },
    async close() {
      await Promise.all(workers.map(worker => worker.stop()));
      await app.close();
      await changes.close();
      throttle.close();
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
