/** Supervises the service's child processes and the embedded PostgreSQL: restarts those that die. */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { withConnection } from '../postgres/connection.ts';
import { startEmbeddedPostgres } from '../postgres/embedded/server.ts';
import { ConfigurationError } from '../runtime/config.ts';
import { codeOf } from '../runtime/error-code.ts';
import { type Interval, startInterval } from '../runtime/interval.ts';
import { deferred } from '../runtime/timeout.ts';
import type { Logger } from '../telemetry/logger.ts';
import { configurationExitCode } from './run-process.ts';

export interface SupervisedProcess {
  /** What the process reported when it was ready, such as its URL; rejects when it cannot start. */
  ready: Promise<string>;
  /** Sends SIGTERM, then SIGKILL if the process has not ended after `killAfterMs`. */
  stop(killAfterMs: number): Promise<void>;
}

const minRestartDelayMs = 200;
const maxRestartDelayMs = 10_000;
/** A process that ran this long started well: the delay of its next restart is short again. */
const stableMs = 30_000;
/** Starts that end with an error before the first success. */
const maxFailedStarts = 3;
const postgresCheckIntervalMs = 2_000;

/**
 * @param file TypeScript or JavaScript, run by this Node.js
 * @param onGivenUp the process cannot start and is not restarted: its configuration is invalid, or three starts ended with an
 *   error. A process that a signal ended was stopped from outside, which is no failed start.
 */
export function superviseProcess(
  name: string,
  file: string,
  env: NodeJS.ProcessEnv,
  { logger, onGivenUp }: { logger: Logger; onGivenUp: (exitCode: number) => void },
): SupervisedProcess {
  let child: ChildProcess;
  let stopping = false;
  /** Ends in a row, for the delay of the next start. */
  let failures = 0;
  let failedStarts = 0;
  let wasReady = false;
  const { promise: ready, resolve, reject } = deferred<string>();

  const start = () => {
    const startedAt = Date.now();
    child = spawn(process.execPath, [...process.execArgv, file], {
      env,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    child.on('message', message => {
      if (typeof message !== 'object' || message === null || !('ready' in message)) return;
      wasReady = true;
      resolve(String(message.ready));
    });
    child.once('exit', (code, signal) => void restart(code, signal, Date.now() - startedAt));
  };

  const restart = async (code: number | null, signal: string | null, ranMs: number) => {
    if (stopping) return;
    if (!wasReady && signal === null) failedStarts++;
    if (code === configurationExitCode || failedStarts >= maxFailedStarts) {
      const StartError = code === configurationExitCode ? ConfigurationError : Error;
      reject(new StartError(`The ${name} process could not start.`));
      onGivenUp(code ?? 1);
      return;
    }
    failures = ranMs > stableMs ? 0 : failures + 1;
    const delay = Math.min(minRestartDelayMs * 2 ** failures, maxRestartDelayMs);
    logger.warn({ process: name, code, signal, restartInMs: delay }, 'a process died; restarting it');
    await sleep(delay);
    if (!stopping) start();
  };

  start();
  return {
    ready,
    async stop(killAfterMs) {
      stopping = true;
      await terminate(child, killAfterMs);
    },
  };
}

/** The embedded PostgreSQL is no child process, because it outlives its starter; so this polls it. */
export function superviseEmbeddedPostgres(url: string, dataDir: string, logger: Logger): Pick<Interval, 'stop'> {
  return startInterval('postgres', postgresCheckIntervalMs, logger, async () => {
    if (!(await isDown(url))) return;
    logger.warn('the embedded PostgreSQL is down; restarting it');
    await startEmbeddedPostgres({ dataDir, logger });
  });
}

async function terminate(child: ChildProcess, killAfterMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise(resolve => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  await ended;
  clearTimeout(timer);
}

/** True only when the connection is refused: a server that starts, stops or is full answers. */
const isDown = (url: string): Promise<boolean> =>
  withConnection({ connectionString: url }, async () => false).catch(
    (error: unknown) => codeOf(error) === 'ECONNREFUSED',
  );
