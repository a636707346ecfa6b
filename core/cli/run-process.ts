/** How every process of the service starts and stops: configuration told clearly, one orderly end on a signal. */
import { existsSync } from 'node:fs';
import type { z } from 'zod';
import { ConfigurationError, checkConfig, readConfig } from '../runtime/config.ts';
import type { ServiceConfig } from '../runtime/service-config.ts';
import { createLogger, type Logger } from '../telemetry/logger.ts';
import { startTelemetry, type Telemetry, TelemetryConfig } from '../telemetry/start-telemetry.ts';

/** What a process left running; `stop` ends it in order, within its grace period. */
export interface RunningProcess {
  stop(): Promise<void>;
}

/** EX_CONFIG of sysexits.h: a supervisor does not start such a process again. */
export const configurationExitCode = 78;

/**
 * Runs a process to its end: on SIGTERM, SIGINT, or when the parent that supervises it is gone, it stops in order; one
 * that is still starting does so first, so that nothing it opened is left behind.
 * A wrong configuration ends it with a sentence for each wrong variable before anything opens.
 */
export async function runProcess<C extends z.ZodObject<typeof ServiceConfig.shape>>(
  name: string,
  declaration: C,
  start: (config: z.output<C>, logger: Logger) => Promise<RunningProcess>,
  /** Declarations of parts that read their configuration themselves, later. */
  partsToCheck: () => Promise<readonly z.ZodObject[]> = async () => [],
): Promise<void> {
  const told = toldToStop();
  if (existsSync('.env')) process.loadEnvFile('.env');
  let logger: Logger | undefined;
  try {
    checkConfig([declaration, TelemetryConfig, ...(await partsToCheck())]);
    const config = readConfig(declaration);
    const runningLogger = createLogger(name, config);
    logger = runningLogger;
    const telemetry = await startTelemetry(name, readConfig(TelemetryConfig), runningLogger);
    const running = await start(config, runningLogger);
    void told.then(reason => stopInOrder(running, telemetry, reason, runningLogger));
  } catch (error) {
    if (error instanceof ConfigurationError) {
      process.stderr.write(`${error.message}\n`);
      process.exit(configurationExitCode);
    }
    logger?.fatal({ err: error }, 'the process could not start');
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}

/** Resolves with the first reason; what comes after it changes nothing: Ctrl-C reaches a process on several ways. */
function toldToStop(): Promise<string> {
  return new Promise(resolve => {
    process.on('SIGTERM', resolve);
    process.on('SIGINT', resolve);
    const orphaned = () => resolve('the supervisor is gone');
    process.once('disconnect', orphaned);
    if (process.send && !process.connected) orphaned();
  });
}

async function stopInOrder(
  running: RunningProcess,
  telemetry: Telemetry,
  reason: string,
  logger: Logger,
): Promise<void> {
  logger.info({ reason }, 'stopping');
  try {
    await running.stop();
    await telemetry.stop();
    process.exit(process.exitCode ?? 0);
  } catch (error) {
    logger.error({ err: error }, 'the process did not stop in order');
    process.exit(1);
  }
}
