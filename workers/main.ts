/** The worker process: takes jobs of the queues named on the command line, or of all, until it is told to stop. */
import { z } from 'zod';
import { openParts, type Parts, PartsConfig } from '../core/app.ts';
import { CallbackConfig } from '../core/callbacks/config.ts';
import { type RunningProcess, runProcess } from '../core/cli/run-process.ts';
import { EgressConfig } from '../core/egress/config.ts';
import { systemConfigs } from '../core/integrations/kit/discover.ts';
import { discoverContracts, discoverHandlers } from '../core/jobs/discover.ts';
import type { JobHandler } from '../core/jobs/handler.ts';
import { readConfig } from '../core/runtime/config.ts';
import { publicUrl } from '../core/runtime/service-config.ts';
import type { Logger } from '../core/telemetry/logger.ts';
import { tellCallbacks } from './runtime/callback-dispatcher.ts';
import { startSelfChecks } from './runtime/health-probe.ts';
import { type Post, startWorker } from './runtime/worker.ts';

const found = discoverHandlers(process.argv.slice(2));

const Config = z.object({ ...PartsConfig.shape, ...EgressConfig.shape, ...CallbackConfig.shape });

async function start(config: z.infer<typeof Config>, logger: Logger): Promise<RunningProcess> {
  const contracts = await discoverContracts();
  const parts = await openParts(config, 'worker', logger);
  const posts = await Promise.all((await found).map(handler => openPost(handler, parts)));
  const worker = startWorker(posts, parts, { contracts, graceSeconds: config.SHUTDOWN_GRACE_SECONDS });
  const callbacks = tellCallbacks(parts, {
    baseUrl: publicUrl(config) + config.BASE_PATH,
    retrySeconds: config.CALLBACK_RETRY_SECONDS,
    allow: config.EGRESS_ALLOW,
  });
  const selfChecks = startSelfChecks(posts, worker.id, parts);
  const kinds = posts.map(({ contract }) => contract.kind);
  logger.info({ queues: kinds, backend: parts.queues.backend }, 'the worker works');
  process.send?.({ ready: worker.id });

  return {
    async stop() {
      await selfChecks.stop();
      // Until the last job has ended there may be something to tell; what is left then another process tells.
      await worker.stop();
      await callbacks.stop();
      await parts.close();
    },
  };
}

async function openPost(handler: JobHandler, parts: Parts): Promise<Post> {
  const logger = parts.logger.child({ kind: handler.job.kind });
  const open = await handler.open(readConfig(handler.config), { ...parts, logger });
  return { contract: handler.job, handler: open };
}

await runProcess('worker', Config, start, async () => [
  ...(await found).map(handler => handler.config),
  ...(await systemConfigs()),
]);
