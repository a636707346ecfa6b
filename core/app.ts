/** Opens the shared services of a process: database, queues, jobs, results. */
import path from 'node:path';
import { z } from 'zod';
import { insertCallback } from './callbacks/outbox.ts';
import { type CallbackSecrets, createCallbackSecrets } from './callbacks/secrets.ts';
import { createEffects, type Effects } from './effects/ledger.ts';
import { createIdempotencyKeys, type IdempotencyKeys } from './idempotency/keys.ts';
import { createCallBudgets } from './integrations/kit/call-budget.ts';
import { type IntegrationContext, openIntegrationContext } from './integrations/kit/context.ts';
import { QueueConfig } from './jobs/config.ts';
import type { JobEvents } from './jobs/event.ts';
import { openQueues, type Queues, timesForLock } from './jobs/queues.ts';
import type { JobRecords } from './jobs/record.ts';
import { createJobEstimates, type JobEstimates } from './jobs/repository/estimates.ts';
import { createJobEvents } from './jobs/repository/events.ts';
import { createHeartbeats, type Heartbeats } from './jobs/repository/heartbeats.ts';
import { createJobInputs, type JobInputs } from './jobs/repository/inputs.ts';
import { createJobRecords } from './jobs/repository/repository.ts';
import { type JobService, openJobService } from './jobs/service.ts';
import { createOauthStore, type OauthStore } from './oauth/tokens.ts';
import { type Database, DatabaseConfig, openDatabase } from './postgres/client.ts';
import { startEmbeddedPostgres } from './postgres/embedded/server.ts';
import { migrateDatabase } from './postgres/migrate.ts';
import { createServiceSecrets, type ServiceSecrets } from './postgres/service-secrets.ts';
import { SandboxConfig, ServiceConfig } from './runtime/service-config.ts';
import { ScheduleConfig } from './schedules/config.ts';
import { StorageConfig } from './storage/config.ts';
import { openStore } from './storage/file-store.ts';
import type { Store } from './storage/store.ts';
import type { Logger } from './telemetry/logger.ts';
import { createProcessMetrics, nameProcess, publishMetrics } from './telemetry/process-metrics.ts';

export const AppConfig = z.object({
  ...ServiceConfig.shape,
  ...DatabaseConfig.shape,
  ...QueueConfig.shape,
  ...StorageConfig.shape,
  ...SandboxConfig.shape,
  ...ScheduleConfig.shape,
});
export type AppConfig = z.infer<typeof AppConfig>;

export interface AppContext {
  config: AppConfig;
  logger: Logger;
  database: Database;
  databaseUrl: string;
  /** For caches and stored results of this machine. */
  dataFolder: string;
  queues: Queues;
  records: JobRecords;
  events: JobEvents;
  estimates: JobEstimates;
  callbackSecrets: CallbackSecrets;
  jobs: JobService;
  idempotency: IdempotencyKeys;
  inputs: JobInputs;
  oauth: OauthStore;
  secrets: ServiceSecrets;
  heartbeats: Heartbeats;
  results: Store;
  /** For the connectors of outside systems: `crm.at(context.systems)`. */
  systems: IntegrationContext;
  effects: Effects;
  /** Closes queues and database; close their users first. An embedded PostgreSQL keeps running for other processes. */
  close(): Promise<void>;
}

/** Starts the embedded PostgreSQL when none is configured, and migrates the database. */
export async function openApp(config: AppConfig, processName: string, logger: Logger): Promise<AppContext> {
  const dataFolder = path.resolve(config.DATA_DIR);
  const databaseUrl =
    config.DATABASE_URL ?? (await startEmbeddedPostgres({ dataDir: dataFolder, logger })).url;
  await migrateDatabase({ url: databaseUrl, logger });
  const database = openDatabase({
    url: databaseUrl,
    poolSize: config.DATABASE_POOL,
    logger,
    applicationName: `portal-${processName}`,
  });
  const queues = await openQueues(
    { redisUrl: config.REDIS_URL, databaseUrl },
    logger,
    timesForLock(config.WORKER_LOCK_SECONDS),
  );
  const records = createJobRecords(database, {
    resultRetentionHours: config.RESULT_RETENTION_HOURS,
    insertCallback,
  });
  const publishing = publishMetrics(createProcessMetrics(database), nameProcess(processName), logger);
  return {
    config,
    logger,
    database,
    databaseUrl,
    dataFolder,
    queues,
    records,
    events: createJobEvents(database),
    estimates: createJobEstimates(database),
    callbackSecrets: createCallbackSecrets(database),
    jobs: openJobService(queues, records, logger),
    idempotency: createIdempotencyKeys(database),
    inputs: createJobInputs(database),
    oauth: createOauthStore(database),
    secrets: createServiceSecrets(database),
    heartbeats: createHeartbeats(database),
    results: await openStore(config),
    systems: openIntegrationContext({
      sandboxUrl: sandboxUrl(config),
      databaseUrl,
      budgets: createCallBudgets(database),
      logger,
    }),
    effects: createEffects(database, logger, { settlingSeconds: config.SETTLING_SECONDS }),
    async close() {
      await publishing.stop();
      await queues.close();
      await database.close();
    },
  };
}

/** Development only: elsewhere an answer of the sandbox must not be taken for a real one. */
const sandboxUrl = (config: AppConfig): string | undefined =>
  config.NODE_ENV === 'development' ? `http://${config.SANDBOX_HOST}:${config.SANDBOX_PORT}` : undefined;
