/** One supervised process of the service: started, restarted when it dies, stopped in order. */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startEmbeddedPostgres } from '../postgres/embedded/server.ts';
import { ConfigurationError } from '../runtime/config.ts';
import type { Logger } from '../telemetry/logger.ts';
import { configurationExitCode } from './run-process.ts';

export interface SupervisedProcess {
  /** What the process said when it was ready, such as its address; rejects when it cannot start. */
  ready: Promise<string>;
  /** SIGTERM, and SIGKILL when it has not ended by then. */
  stop(killAfterMs: number): Promise<void>;
}

const firstRestartDelayMs = 200;
const longestRestartDelayMs = 10_000;
/** A process that ran this long had started well: its next restart is quick again. */
const steadyMs = 30_000;

/**
 * @param file TypeScript or JavaScript, run by this Node
 * @param onGivenUp the process refuses its configuration: starting it again would not help
 */
export function superviseProcess(
  name: string,
  file: string,
  env: NodeJS.ProcessEnv,
  logger: Logger,
  onGivenUp: (exitCode: number) => void,
): SupervisedProcess {
  let child: ChildProcess | undefined;
  let stopping = false;
  let failures = 0;
  let everReady = false;
  let becomeReady: (said: string) => void = () => {};
  let refuse: (error: Error) => void = () => {};
  const ready = new Promise<string>((resolve, reject) => {
    becomeReady = resolve;
    refuse = reject;
  });

  const startOnce = () => {
    const begun = Date.now();
    child = spawn(process.execPath, [...process.execArgv, file], {
      env,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    child.on('message', message => {
      if (typeof message !== 'object' || message === null || !('ready' in message)) return;
      everReady = true;
      becomeReady(String(message.ready));
    });
    child.once('exit', (code, signal) => void restart(code, signal, Date.now() - begun));
  };

  const restart = async (code: number | null, signal: string | null, ranMs: number) => {
    if (stopping) return;
    if (code === configurationExitCode || (!everReady && failures >= 2)) {
      const Refusal = code === configurationExitCode ? ConfigurationError : Error;
      refuse(new Refusal(`The ${name} process could not start.`));
      onGivenUp(code ?? 1);
      return;
    }
    failures = ranMs > steadyMs ? 0 : failures + 1;
    const delay = Math.min(firstRestartDelayMs * 2 ** failures, longestRestartDelayMs);
    logger.warn({ process: name, code, signal, restartInMs: delay }, 'a process died; it is started again');
    await sleep(delay);
    if (!stopping) startOnce();
  };

  startOnce();
  return {
    ready,
    async stop(killAfterMs) {
      stopping = true;
      const running = child;
      if (!running || running.exitCode !== null || running.signalCode !== null) return;
      const ended = new Promise(resolve => running.once('exit', resolve));
      running.kill('SIGTERM');
      const timer = setTimeout(() => running.kill('SIGKILL'), killAfterMs);
      await ended;
      clearTimeout(timer);
    },
  };
}

const lookEveryMs = 2_000;

export interface KeptPostgres {
  /** Waits for the look under way; PostgreSQL runs on. */
  stop(): Promise<void>;
}

export function keepPostgres(url: string, dataDir: string, logger: Logger): KeptPostgres {
  const stopping = new AbortController();
  const keep = async () => {
    while (!stopping.signal.aborted) {
      await sleep(lookEveryMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted || !(await isDown(url))) continue;
      logger.warn('the embedded PostgreSQL is down; it is started again');
      await startEmbeddedPostgres({ dataDir, logger }).catch(error =>
        logger.error({ err: error }, 'the embedded PostgreSQL could not be started; it is tried again'),
      );
    }
  };
  const done = keep();
  return {
    stop() {
      stopping.abort();
      return done;
    },
  };
}

/** Only where nobody listens: a server that starts, stops or is full answers for itself. */
async function isDown(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';
  } finally {
    await client.end();
  }
}
