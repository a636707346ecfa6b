/** The API process: configuration, parts, application, listen; on a signal drain and close. */
import { z } from 'zod';
import { jobChannel } from '../core/db/jobs.ts';
import { listen } from '../core/db/listen.ts';
import { createOauthStore } from '../core/db/oauth.ts';
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
import { openStreamSlots } from './stream-slots.ts';

const Config = z
  .object({ ...PartsConfig.shape, ...ApiConfig.shape })
  .refine(
    config => (config.BOOTSTRAP_CLIENT_ID === undefined) === (config.BOOTSTRAP_CLIENT_SECRET === undefined),
    { path: ['BOOTSTRAP_CLIENT_SECRET'], message: 'must be set together with BOOTSTRAP_CLIENT_ID' },
  );

async function start(config: z.infer<typeof Config>, logger: Logger): Promise<RunningProcess> {
  const operations = await loadOperations();
  const contracts = await discoverContracts();
  const parts = await openParts(config, 'api', logger);
  const oauth = createOauthStore(parts.database);
  await putBootstrapClient(config, oauth, operations);

  const watch = openJobWatch(parts.records);
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
      oauth,
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
      await parts.close();
    },
  };
}

await runProcess('api', Config, start);
