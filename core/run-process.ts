/** How every process of the service starts and stops: configuration told clearly, one orderly end on a signal. */
import { existsSync } from 'node:fs';
import type { z } from 'zod';
import { ConfigurationError, checkConfig, readConfig } from './config.ts';
import { createLogger, type Logger } from './logger.ts';
import type { ServiceConfig } from './service-config.ts';

/** What a process left running; `stop` ends it in order, within its grace period. */
export interface RunningProcess {
  stop(): Promise<void>;
}

/** EX_CONFIG of sysexits.h: a supervisor does not start such a process again. */
export const configurationExitCode = 78;

/**
 * Runs a process to its end: on SIGTERM, SIGINT, or when the parent that supervises it is gone, it stops in order.
 * A wrong configuration ends it with a sentence for each wrong variable before anything opens.
 */
export async function runProcess<C extends z.ZodObject<typeof ServiceConfig.shape>>(
  name: string,
  declaration: C,
  start: (config: z.output<C>, logger: Logger) => Promise<RunningProcess>,
  /** Declarations of parts that read their configuration themselves, later. */
  partsToCheck: readonly z.ZodObject[] = [],
): Promise<void> {
  if (existsSync('.env')) process.loadEnvFile('.env');
  let logger: Logger | undefined;
  try {
    checkConfig([declaration, ...partsToCheck]);
    const config = readConfig(declaration);
    logger = createLogger(name, config);
    const running = await start(config, logger);
    stopOnSignal(running, logger);
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

function stopOnSignal(running: RunningProcess, logger: Logger): void {
  let stopping = false;
  const stop = async (reason: string) => {
    if (stopping) return;
    stopping = true;
    logger.info({ reason }, 'stopping');
    try {
      await running.stop();
      process.exit(process.exitCode ?? 0);
    } catch (error) {
      logger.error({ err: error }, 'the process did not stop in order');
      process.exit(1);
    }
  };
  process.once('SIGTERM', () => void stop('SIGTERM'));
  process.once('SIGINT', () => void stop('SIGINT'));
  process.once('disconnect', () => void stop('the supervisor is gone'));
}
