/** Entry point of the API process. Drains open requests on SIGTERM and SIGINT. */
import { z } from 'zod';
import { AppConfig, openApp } from '../core/app.ts';
import { type RunningProcess, runProcess } from '../core/cli/run-process.ts';
import { answerHelp } from '../core/cli/usage.ts';
import { systemConfigs } from '../core/integrations/kit/define-system.ts';
import { serviceMetricsText } from '../core/monitoring/service-metrics.ts';
import { NotifyConfig } from '../core/notifications/config.ts';
import { redisAddress } from '../core/redis/connection.ts';
import { requireFreePort } from '../core/runtime/free-port.ts';
import { productionGaps } from '../core/runtime/service-config.ts';
import type { Logger } from '../core/telemetry/logger.ts';
import { buildApp } from './app.ts';
import { ApiConfig } from './config.ts';
import { loadOperations } from './http/load-operations.ts';
import { openServices } from './open-services.ts';
import { putBootstrapClient } from './operations/oauth/bootstrap-client.ts';

answerHelp('npm run api   the HTTP API, the operations pages and the short links\n\nSettings: .env.example');

const Config = z
  .object({ ...AppConfig.shape, ...ApiConfig.shape })
  .refine(config => (config.BOOTSTRAP_CLIENT_ID === undefined) === (config.BOOTSTRAP_CLIENT_SECRET === undefined), {
    path: ['BOOTSTRAP_CLIENT_SECRET'],
    message: 'must be set together with BOOTSTRAP_CLIENT_ID',
  })
  .refine(
    ({ NODE_ENV, BOOTSTRAP_CLIENT_SECRET: secret }) =>
      NODE_ENV !== 'production' || secret === undefined || secret.length >= 32,
    { path: ['BOOTSTRAP_CLIENT_SECRET'], message: 'must have at least 32 characters in production' },
  );

async function start(config: z.infer<typeof Config>, logger: Logger): Promise<RunningProcess> {
  for (const gap of productionGaps(config)) logger.warn(gap);
  await requireFreePort('PORT', config.PORT, config.HOST);
  const operations = await loadOperations();
  const parts = await openApp(config, 'api', logger);
  const services = openServices(parts, { config, operations, redis: redisAddress(config) });
  await putBootstrapClient(services);
  const app = await buildApp(services, operations);
  const address = await app.listen({ port: config.PORT, host: config.HOST });
  logger.info({ address, queues: parts.queues.backend }, 'the API is listening');
  process.send?.({ ready: address });

  return {
    serviceMetrics: () => serviceMetricsText(services.conditions, logger),
    async stop() {
      await app.close();
      await services.closeServices();
      await parts.close();
    },
  };
}

await runProcess('api', Config, start, async () => [NotifyConfig, ...(await systemConfigs())]);
