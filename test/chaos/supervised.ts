/** One process of the service under a supervisor: whatever ends it, it is started again; what it wrote is kept. */
import { setTimeout as sleep } from 'node:timers/promises';
import { configurationExitCode } from '../../core/cli/run-process.ts';
import { type ServiceProcess, startProcess } from '../support/processes.ts';

export type Family = 'api' | 'worker' | 'scheduler';

/** One life of the process, from its start to its end. */
export interface Life {
  pid: number;
  wasReady: boolean;
  /** By us; what ends otherwise after it was ready died of something. */
  wasKilled: boolean;
  /** Undefined while it lives. */
  ended: number | string | undefined;
  output(): string;
}

export interface Supervised {
  name: string;
  family: Family;
  lives: readonly Life[];
  /** The present life; undefined between two. */
  now(): Life | undefined;
  kill(): void;
  /** Stops it in its tracks, and lets it go on. */
  freeze(ms: number): Promise<void>;
  /** Resolves once a life of it is ready; rejects when it refuses its configuration. */
  ready(withinMs: number): Promise<void>;
  /** In order, as at the end of a deployment. */
  stop(): Promise<void>;
}

const firstRestartMs = 200;
const longestRestartMs = 3_000;
/** A process that does not end in order within this is killed, and told. */
const stopWithinMs = 40_000;

export function supervise(
  name: string,
  family: Family,
  file: string,
  env: Record<string, string>,
): Supervised {
  const lives: Life[] = [];
  let running: ServiceProcess | undefined;
  let stopping = false;
  let failures = 0;

  const start = (): void => {
    const child = startProcess(file, { env });
    const life: Life = {
      pid: child.pid,
      wasReady: false,
      wasKilled: false,
      ended: undefined,
      output: child.output,
    };
    lives.push(life);
    running = child;
    child.ready.then(
      () => {
        life.wasReady = true;
        failures = 0;
      },
      () => undefined, // It ended before: seen below.
    );
    void child.ended.then(async how => {
      life.ended = how;
      running = undefined;
      if (stopping || how === configurationExitCode) return;
      await sleep(Math.min(firstRestartMs * 2 ** failures, longestRestartMs));
      failures += 1;
      if (!stopping) start();
    });
  };
  const now = () => lives.findLast(life => life.ended === undefined);

  start();
  return {
    name,
    family,
    lives,
    now,
    kill() {
      const life = now();
      if (!life || !running?.isAlive()) return;
      life.wasKilled = true;
      running.kill('SIGKILL');
    },
    async freeze(ms) {
      const frozen = running;
      frozen?.kill('SIGSTOP');
      await sleep(ms);
      if (frozen?.isAlive()) frozen.kill('SIGCONT');
    },
    async ready(withinMs) {
      const until = Date.now() + withinMs;
      while (!now()?.wasReady) {
        const last = lives.at(-1);
        if (last?.ended === configurationExitCode || Date.now() > until)
          throw new Error(
            `${name} is not ready (${last?.ended ?? 'starting'}):\n${last?.output().slice(-4_000)}`,
          );
        await sleep(50);
      }
    },
    async stop() {
      stopping = true;
      const last = running;
      const life = now();
      if (!last || !life) return;
      last.kill('SIGTERM');
      const late = setTimeout(() => {
        life.wasKilled = true;
        last.kill('SIGKILL');
      }, stopWithinMs);
      await last.ended;
      clearTimeout(late);
    },
  };
}
