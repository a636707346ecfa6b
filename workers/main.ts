/** The worker process: takes jobs of the queues named on the command line, or of all, until it is told to stop. */
import { readConfig } from '../core/config.ts';
import { discoverContracts, discoverHandlers } from '../core/jobs/discover-jobs.ts';
import type { JobHandler } from '../core/jobs/handler.ts';
import type { Logger } from '../core/logger.ts';
import { openParts, type Parts, PartsConfig } from '../core/parts.ts';
import { type RunningProcess, runProcess } from '../core/run-process.ts';
import { type Post, startWorker } from './worker.ts';

const handlers = await discoverHandlers(process.argv.slice(2));

async function start(config: PartsConfig, logger: Logger): Promise<RunningProcess> {
  const contracts = await discoverContracts();
  const parts = await openParts(config, 'worker', logger);
  const posts = await Promise.all(handlers.map(handler => openPost(handler, parts)));
  const worker = startWorker(posts, parts, { contracts, graceSeconds: config.SHUTDOWN_GRACE_SECONDS });
  const kinds = posts.map(({ contract }) => contract.kind);
  logger.info({ queues: kinds, backend: parts.queues.backend }, 'the worker works');
  process.send?.({ ready: worker.id });

  return {
    async stop() {
      await worker.stop();
      await parts.close();
    },
  };
}

async function openPost(handler: JobHandler, parts: Parts): Promise<Post> {
  const logger = parts.logger.child({ kind: handler.job.kind });
  const open = await handler.open(readConfig(handler.config), { ...parts, logger });
  return { contract: handler.job, handler: open };
}

await runProcess(
  'worker',
  PartsConfig,
  start,
  handlers.map(handler => handler.config),
);
