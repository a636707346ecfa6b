/** Opens the shared services of a process: database, queues, jobs, results. */
import path from 'node:path';
import { z } from 'zod';
import { insertCallback } from './callbacks/outbox.ts';
import { createCallbackSecrets } from './callbacks/secrets.ts';
import { createEffects } from './effects/ledger.ts';
import { createIdempotencyKeys } from './idempotency/keys.ts';
import { createCallBudgets } from './integrations/kit/call-budget.ts';
import { type IntegrationContextOptions, openIntegrationContext } from './integrations/kit/context.ts';
import { type JobChanges, openJobChanges } from './jobs/changes.ts';
import { QueueConfig } from './jobs/config.ts';
import type { JobContract } from './jobs/contract.ts';
import { discoverContracts } from './jobs/discover.ts';
import { openQueues, type Queues, timesForLock } from './jobs/queues.ts';
import { createJobEstimates } from './jobs/repository/estimates.ts';
import { createJobEvents } from './jobs/repository/events.ts';
import { createHeartbeats } from './jobs/repository/heartbeats.ts';
import { createJobInputs } from './jobs/repository/inputs.ts';
import { createJobRecords } from './jobs/repository/repository.ts';
import { openJobService } from './jobs/service.ts';
import { NotifyConfig } from './notifications/config.ts';
import { notifyOfStops, openNotify } from './notifications/notify.ts';
import { createOauthStore } from './oauth/tokens.ts';
import {
  configuredDatabase,
  type Database,
  type DatabaseAddress,
  DatabaseConfig,
  openDatabase,
} from './postgres/client.ts';
import { connectionName, countConnections } from './postgres/connections.ts';
import { startEmbeddedPostgres } from './postgres/embedded/server.ts';
import { migrateDatabase } from './postgres/migrate.ts';
import { createServiceSecrets } from './postgres/service-secrets.ts';
import { redisAddress } from './redis/connection.ts';
import { prepareDataFolder } from './runtime/private-folder.ts';
import { SandboxConfig, ServiceConfig } from './runtime/service-config.ts';
import { ScheduleConfig } from './schedules/config.ts';
import { StorageConfig } from './storage/config.ts';
import { openStore } from './storage/store.ts';
import type { Logger } from './telemetry/logger.ts';

export const AppConfig = z.object({
  ...ServiceConfig.shape,
  ...DatabaseConfig.shape,
  ...QueueConfig.shape,
  ...StorageConfig.shape,
  ...SandboxConfig.shape,
  ...ScheduleConfig.shape,
  ...NotifyConfig.shape,
});
export type AppConfig = z.infer<typeof AppConfig>;

export type AppContext = Awaited<ReturnType<typeof openApp>>;

/** Starts the embedded PostgreSQL when none is configured, and migrates the database. */
export async function openApp(config: AppConfig, processName: string, logger: Logger) {
  await prepareDataFolder(path.resolve(config.DATA_DIR));
  const redis = redisAddress(config);
  const database = await openServiceDatabase(config, processName, logger);
  const addresses = { redis, databaseUrl: database.directUrl };
  const queues = await openQueues(addresses, logger, timesForLock(config.WORKER_LOCK_SECONDS));
  const changes = openJobChanges({ redis, database, logger });
  const contracts = await discoverContracts();
  const vendors = { sandboxUrl: sandboxUrl(config) };
  return assembleApp({ config, logger, database, queues, changes, contracts, vendors });
}

/** The connections of a process, and where its vendor systems are. */
interface AppParts {
  config: AppConfig;
  logger: Logger;
  database: Database;
  queues: Queues;
  changes: JobChanges;
  contracts: ReadonlyMap<string, JobContract>;
  vendors: Pick<IntegrationContextOptions, 'env' | 'sandboxUrl' | 'circuitPauses'>;
}

/** Makes the shared services on open connections, and opens the store of results. */
export async function assembleApp(parts: AppParts) {
  const { config, logger, database, queues, changes, contracts, vendors } = parts;
  const { directUrl: databaseUrl } = database;
  const notify = openNotify(config);
  const records = createJobRecords(database, {
    resultRetentionHours: config.RESULT_RETENTION_HOURS,
    insertCallback,
    announce: changes.announce,
    reportStop: notifyOfStops(notify, contracts),
  });
  const results = await openStore(config);
  return {
    config,
    /** The contracts of all kinds of jobs. */
    contracts,
    /** Writes a notification to operators. */
    notify,
    logger,
    database,
    databaseUrl,
    /** For caches and stored results of this machine. */
    dataFolder: path.resolve(config.DATA_DIR),
    queues,
    changes,
    records,
    events: createJobEvents(database),
    estimates: createJobEstimates(database),
    callbackSecrets: createCallbackSecrets(database),
    jobs: openJobService({ queues, records, results, logger }),
    idempotency: createIdempotencyKeys(database),
    inputs: createJobInputs(database),
    oauth: createOauthStore(database),
    secrets: createServiceSecrets(database),
    heartbeats: createHeartbeats(database),
    results,
    /** For the connectors of outside systems: `crm.at(context.systems)`. */
    systems: openIntegrationContext({ ...vendors, databaseUrl, budgets: createCallBudgets(database), logger }),
    effects: createEffects(database, logger, { settlingSeconds: config.SETTLING_SECONDS }),
    /** Closes queues and database; close their users first. An embedded PostgreSQL keeps running for other processes. */
    async close(): Promise<void> {
      await changes.close();
      await queues.close();
      await database.close();
    },
  };
}

/** Migrates the database, and reports the connections that all processes may open. */
async function openServiceDatabase(config: AppConfig, processName: string, logger: Logger): Promise<Database> {
  const dataDir = path.resolve(config.DATA_DIR);
  const { url, directUrl = url }: Partial<DatabaseAddress> & { url: string } =
    configuredDatabase(config) ?? (await startEmbeddedPostgres({ dataDir, logger }));
  await migrateDatabase({ url: directUrl, logger });
  const { DATABASE_POOL: poolSize } = config;
  const applicationName = connectionName(processName);
  const database = openDatabase({ url, directUrl, poolSize, logger, applicationName });
  const { perProcess, running, max } = await countConnections(database.pool, {
    poolSize: url === directUrl ? poolSize : undefined,
    hasRedis: redisAddress(config) !== undefined,
  });
  // A pooler may hide the connections of this process.
  const processes = Math.max(1, running);
  const connections = { perProcess, processes, total: processes * perProcess, max };
  if (connections.total <= max) logger.info({ connections }, 'connections to PostgreSQL');
  else
    logger.warn(
      { connections },
      'PostgreSQL allows too few connections: raise max_connections, or lower DATABASE_POOL',
    );
  return database;
}

/** Development only: elsewhere an answer of the sandbox must not be taken for a real one. */
const sandboxUrl = (config: AppConfig): string | undefined =>
  config.NODE_ENV === 'development' ? `http://${config.SANDBOX_HOST}:${config.SANDBOX_PORT}` : undefined;
