/** The worker process: runs jobs of the kinds named on the command line, or of all. */
import { z } from 'zod';
import { AppConfig, type AppContext, openApp } from '../core/app.ts';
import { CallbackConfig } from '../core/callbacks/config.ts';
import { type RunningProcess, runProcess } from '../core/cli/run-process.ts';
import { answerHelp } from '../core/cli/usage.ts';
import { EgressConfig } from '../core/egress/config.ts';
import { systemConfigs } from '../core/integrations/kit/define-system.ts';
import { discoverContracts, discoverHandlers } from '../core/jobs/discover.ts';
import type { JobHandler } from '../core/jobs/handler.ts';
import { NotifyConfig } from '../core/notifications/config.ts';
import { readConfig } from '../core/runtime/config.ts';
import { publicUrl } from '../core/runtime/service-config.ts';
import type { Logger } from '../core/telemetry/logger.ts';
import { startCallbackDispatcher } from './runtime/callback-dispatcher.ts';
import { startHealthProbes } from './runtime/health-probe.ts';
import { type ServedKind, startWorker } from './runtime/worker.ts';

answerHelp(`npm run worker                      runs jobs of every queue
npm run worker -- pdf pdf-preview   runs jobs of these queues

Queues: ${[...(await discoverContracts()).keys()].join(', ')}
Settings: .env.example`);

const handlers = discoverHandlers(process.argv.slice(2));

const Config = z.object({ ...AppConfig.shape, ...EgressConfig.shape, ...CallbackConfig.shape });

async function start(config: z.infer<typeof Config>, logger: Logger): Promise<RunningProcess> {
  const app = await openApp(config, 'worker', logger);
  const kinds = await Promise.all((await handlers).map(handler => openHandler(handler, app)));
  const worker = startWorker(kinds, app, { contracts: app.contracts, graceSeconds: config.SHUTDOWN_GRACE_SECONDS });
  const callbacks = startCallbackDispatcher(app, {
    baseUrl: publicUrl(config) + config.BASE_PATH,
    retrySeconds: config.CALLBACK_RETRY_SECONDS,
    allow: config.EGRESS_ALLOW,
  });
  const probes = startHealthProbes(kinds, worker.id, app);
  const queues = kinds.map(({ contract }) => contract.kind);
  logger.info({ queues, backend: app.queues.backend }, 'worker started');
  process.send?.({ ready: worker.id });

  return {
    heartbeatAge: worker.heartbeatAge,
    async stop() {
      await probes.stop();
      // Running jobs may end with callbacks; another process sends those that are left.
      await worker.stop();
      await callbacks.stop();
      await app.close();
    },
  };
}

async function openHandler(handler: JobHandler, app: AppContext): Promise<ServedKind> {
  const logger = app.logger.child({ kind: handler.job.kind });
  const open = await handler.open(readConfig(handler.config), { ...app, logger });
  return { contract: handler.job, handler: open };
}

await runProcess('worker', Config, start, async () => [
  NotifyConfig,
  ...(await handlers).map(handler => handler.config),
  ...(await systemConfigs()),
]);
