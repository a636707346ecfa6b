/** Starts a process of the service, restarts it whenever it ends, and keeps its output. */
import { setTimeout as sleep } from 'node:timers/promises';
import { configurationExitCode } from '../../core/cli/run-process.ts';
import { type ServiceProcess, startProcess } from '../support/processes.ts';

export type ProcessType = 'api' | 'worker' | 'scheduler';

/** From the start to the end of the process. */
export interface ProcessRun {
  pid: number;
  wasReady: boolean;
  /** By the chaos run. */
  wasKilled: boolean;
  /** Exit code or signal; undefined while it runs. */
  ended: number | string | undefined;
  output(): string;
}

export interface SupervisedProcess {
  name: string;
  type: ProcessType;
  runs: readonly ProcessRun[];
  /** undefined between two runs. */
  currentRun(): ProcessRun | undefined;
  kill(): void;
  /** SIGSTOP, and SIGCONT after `ms`. */
  freeze(ms: number): Promise<void>;
  /** Rejects on a configuration error and after `withinMs`. */
  waitUntilReady(withinMs: number): Promise<void>;
  /** SIGTERM; SIGKILL after 40 seconds. */
  stop(): Promise<void>;
}

const minRestartMs = 200;
const maxRestartMs = 3_000;
const stopWithinMs = 40_000;

export function supervise(
  name: string,
  type: ProcessType,
  file: string,
  env: Record<string, string>,
): SupervisedProcess {
  const runs: ProcessRun[] = [];
  let running: ServiceProcess | undefined;
  let stopping = false;
  let failures = 0;

  const start = (): void => {
    const child = startProcess(file, { env });
    const run: ProcessRun = {
      pid: child.pid,
      wasReady: false,
      wasKilled: false,
      ended: undefined,
      output: child.output,
    };
    runs.push(run);
    running = child;
    child.ready.then(
      () => {
        run.wasReady = true;
        failures = 0;
      },
      () => undefined, // It ended before it was ready: handled below.
    );
    void child.ended.then(async how => {
      run.ended = how;
      running = undefined;
      if (stopping || how === configurationExitCode) return;
      await sleep(Math.min(minRestartMs * 2 ** failures, maxRestartMs));
      failures += 1;
      if (!stopping) start();
    });
  };
  const currentRun = () => runs.findLast(run => run.ended === undefined);

  start();
  return {
    name,
    type,
    runs,
    currentRun,
    kill() {
      const run = currentRun();
      if (!run || !running?.isAlive()) return;
      run.wasKilled = true;
      running.kill('SIGKILL');
    },
    async freeze(ms) {
      const frozen = running;
      frozen?.kill('SIGSTOP');
      await sleep(ms);
      if (frozen?.isAlive()) frozen.kill('SIGCONT');
    },
    async waitUntilReady(withinMs) {
      const until = Date.now() + withinMs;
      while (!currentRun()?.wasReady) {
        const last = runs.findLast(run => run.ended !== undefined) ?? runs.at(-1);
        if (last?.ended === configurationExitCode || Date.now() > until)
          throw new Error(
            `${name} is not ready after ${runs.length} starts (${last?.ended ?? 'starting'}):\n${last?.output().slice(-4_000)}`,
          );
        await sleep(50);
      }
    },
    async stop() {
      stopping = true;
      const last = running;
      const run = currentRun();
      if (!last || !run) return;
      last.kill('SIGTERM');
      const timer = setTimeout(() => {
        run.wasKilled = true;
        last.kill('SIGKILL');
      }, stopWithinMs);
      await last.ended;
      clearTimeout(timer);
    },
  };
}
