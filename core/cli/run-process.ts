/** Starts and stops a process of the service: validates the configuration, shuts down gracefully on a signal. */

import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { z } from 'zod';
import { MigrationError } from '../postgres/migrate.ts';
import { ConfigurationError, checkConfig, readConfig } from '../runtime/config.ts';
import { requireFreePort } from '../runtime/free-port.ts';
import { createPrivateFiles } from '../runtime/private-folder.ts';
import type { ServiceConfig } from '../runtime/service-config.ts';
import { StartError } from '../runtime/start-error.ts';
import { createLogger, type Logger } from '../telemetry/logger.ts';
import { registry } from '../telemetry/meter.ts';
import { startTelemetry, TelemetryConfig } from '../telemetry/start-telemetry.ts';

export interface RunningProcess {
  /** Shuts down within the grace period. */
  stop(): Promise<void>;
  /** Milliseconds since the last heartbeat, for processes that have them. */
  heartbeatAge?(): number;
  /** Metrics of the whole service as Prometheus' text, of processes that serve them beside their own. */
  serviceMetrics?(): Promise<string>;
}

/** Heartbeats come every few seconds, only while the database accepts them. */
const heartbeatMaxAgeMs = 30_000;

/** EX_CONFIG of sysexits.h: supervisors must not restart the process. */
export const configurationExitCode = 78;

/**
 * Shuts down on SIGTERM, on SIGINT, and when the supervising parent is gone; during the start only after it, so that
 * everything opened is closed. An invalid configuration ends the process before it opens anything, with one sentence for
 * each wrong variable.
 * @param declarationsToCheck declarations of modules that read their configuration later
 */
export async function runProcess<C extends z.ZodObject<typeof ServiceConfig.shape>>(
  name: string,
  declaration: C,
  start: (config: z.output<C>, logger: Logger) => Promise<RunningProcess>,
  declarationsToCheck: () => Promise<readonly z.ZodObject[]> = async () => [],
): Promise<void> {
  createPrivateFiles();
  const stopRequested = stopRequest();
  if (existsSync('.env')) process.loadEnvFile('.env');
  let logger: Logger | undefined;
  try {
    checkConfig([declaration, TelemetryConfig, ...(await declarationsToCheck())]);
    const config = readConfig(declaration);
    const runningLogger = createLogger(name, config);
    logger = runningLogger;
    const telemetry = await startTelemetry(name, readConfig(TelemetryConfig), runningLogger);
    let running: RunningProcess | undefined;
    const listener = await startProcessListener(config, runningLogger, () => running);
    const started = await start(config, runningLogger);
    running = started;
    void stopRequested.then(reason => shutDown([started, listener, telemetry], reason, runningLogger));
  } catch (error) {
    // Another start fails as well, until an operator changes the settings, the database or the version.
    if (error instanceof ConfigurationError || error instanceof MigrationError) {
      process.stderr.write(`${error.message}\n`);
      process.exit(configurationExitCode);
    }
    if (!(error instanceof StartError)) logger?.fatal({ err: error }, 'the process failed to start');
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}

/** Resolves with the first reason and ignores later ones: Ctrl-C arrives by several ways. */
function stopRequest(): Promise<string> {
  return new Promise(resolve => {
    process.on('SIGTERM', resolve);
    process.on('SIGINT', resolve);
    const orphaned = () => resolve('the supervisor is gone');
    process.once('disconnect', orphaned);
    if (process.send && !process.connected) orphaned();
  });
}

async function shutDown(parts: readonly Pick<RunningProcess, 'stop'>[], reason: string, logger: Logger): Promise<void> {
  logger.info({ reason }, 'stopping');
  try {
    for (const part of parts) await part.stop();
    process.exit(process.exitCode ?? 0);
  } catch (error) {
    logger.error({ err: error }, 'the shutdown failed');
    process.exit(1);
  }
}

export type ProcessListener = Awaited<ReturnType<typeof startProcessListener>>;

/** @param running undefined during the start, when `/health` answers 503 */
export async function startProcessListener(
  { METRICS_PORT: port, HOST: host }: Pick<ServiceConfig, 'METRICS_PORT' | 'HOST'>,
  logger: Logger,
  running: () => Omit<RunningProcess, 'stop'> | undefined,
) {
  if (port === undefined) return { stop: async () => undefined };
  await requireFreePort('METRICS_PORT', port, host);
  const paths: Record<string, (response: ServerResponse) => Promise<unknown>> = {
    '/health': async response => {
      const started = running();
      const isHealthy = started !== undefined && (started.heartbeatAge?.() ?? 0) < heartbeatMaxAgeMs;
      const status = isHealthy ? 'pass' : 'fail';
      response.writeHead(status === 'pass' ? 200 : 503, { 'content-type': 'application/health+json' });
      response.end(JSON.stringify({ status }));
    },
    '/metrics': async response => {
      const text = (await registry.metrics()) + ((await running()?.serviceMetrics?.()) ?? '');
      response.writeHead(200, { 'content-type': registry.contentType }).end(text);
    },
  };
  const server = createServer((request, response) => {
    const answer = paths[request.url ?? ''];
    if (!answer) return response.writeHead(404).end('This process answers /health and /metrics.\n');
    answer(response).catch(error => {
      logger.error({ err: error, path: request.url }, 'a request to METRICS_PORT failed');
      response.writeHead(500).end();
    });
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    async stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
