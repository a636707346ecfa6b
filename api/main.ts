/** The API process: configuration, parts, application, listen; on a signal drain and close. */
import { z } from 'zod';
import { jobChannel } from '../core/db/jobs.ts';
import { listen } from '../core/db/listen.ts';
import { createOauthStore } from '../core/db/oauth.ts';
import { createOauthClients } from '../core/db/oauth-clients.ts';
import { discoverContracts } from '../core/jobs/discover-jobs.ts';
import type { Logger } from '../core/logger.ts';
import { openParts, PartsConfig } from '../core/parts.ts';
import { type RunningProcess, runProcess } from '../core/run-process.ts';
import { publicUrl } from '../core/service-config.ts';
import { buildApp } from './app.ts';
import { putBootstrapClient } from './bootstrap-client.ts';
import { ApiConfig } from './config.ts';
import { openJobTimes } from './job-times.ts';
import { openJobWatch } from './job-watch.ts';
import { loadOperations } from './load-operations.ts';
import { openOauthThrottle } from './oauth-throttle.ts';
import { allScopes } from './scopes.ts';
import { openStreamSlots } from './stream-slots.ts';

const Config = z
  .object({ ...PartsConfig.shape, ...ApiConfig.shape })
  .refine(
    config => (config.BOOTSTRAP_CLIENT_ID === undefined) === (config.BOOTSTRAP_CLIENT_SECRET === undefined),
    { path: ['BOOTSTRAP_CLIENT_SECRET'], message: 'must be set together with BOOTSTRAP_CLIENT_ID' },
  )
  .refine(
    ({ NODE_ENV, BOOTSTRAP_CLIENT_SECRET: secret }) =>
      NODE_ENV !== 'production' || secret === undefined || secret.length >= 32,
    { path: ['BOOTSTRAP_CLIENT_SECRET'], message: 'must have at least 32 characters in production' },
  );

async function start(config: z.infer<typeof Config>, logger: Logger): Promise<RunningProcess> {
  const operations = await loadOperations();
  const contracts = await discoverContracts();
  const parts = await openParts(config, 'api', logger);
  const scopes = allScopes(operations);
  const clients = createOauthClients(parts.database);
  await putBootstrapClient(config, clients, scopes);

  const watch = openJobWatch(parts.records);
  const throttle = openOauthThrottle(
    { tokensPerMinute: config.TOKENS_PER_MINUTE, redisUrl: config.REDIS_URL, pool: parts.database.pool },
    logger,
  );
  const changes = listen(parts.databaseUrl, jobChannel, watch.changed, { logger });
  const app = await buildApp(
    {
      ...parts,
      config,
      publicUrl: publicUrl(config),
      contracts,
      watch,
      times: openJobTimes(parts.outlook),
      streams: openStreamSlots(config.MAX_EVENT_STREAMS),
      oauth: createOauthStore(parts.database),
      clients,
      throttle,
      scopes,
      pingDatabase: async () => void (await parts.database.pool.query('select 1')),
    },
    operations,
  );
  const address = await app.listen({ port: config.PORT, host: config.HOST });
  logger.info({ address, queues: parts.queues.backend }, 'the API answers');
  process.send?.({ ready: address });

  return {
    async stop() {
      await app.close();
      await changes.close();
      throttle.close();
      await parts.close();
    },
  };
}

await runProcess('api', Config, start);
