/** Starts and stops the service's processes as they run in production. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { rootFolder } from '../../core/runtime/discover.ts';
import { cacheFolder } from './printing.ts';

export interface ServiceProcess {
  pid: number;
  /** Resolves when the process is ready: with the API's URL, or a worker's name. Rejects when it exits before. */
  ready: Promise<string>;
  /** The exit code, or the signal that ended it. */
  ended: Promise<number | string>;
  isAlive(): boolean;
  /** Standard output and standard error so far. */
  output(): string;
  kill(signal: NodeJS.Signals): void;
}

export interface ProcessOptions {
  args?: readonly string[];
  env: Record<string, string>;
  /** Starts a separate process group, as a terminal does, without an IPC channel. */
  leader?: boolean;
  /** A folder created by `shipService`: runs the file from there. */
  shipped?: string;
  /** Runs the build of a command in `core/cli`, which starts in a third of the time. */
  built?: boolean;
}

/** Environment variable with the build folder of `test-build.ts`. */
export const buildVariable = 'PORTAL_TEST_BUILD';

const loader = './core/cli/typescript.mjs';

/** Arguments of Node.js that run the file from the build, or from the checkout where there is no build. */
export const builtProgram = (file: string): string[] => {
  const build = process.env[buildVariable];
  return build === undefined
    ? ['--import', loader, path.join(rootFolder, file)]
    : [path.join(build, file.replace(/\.ts$/, '.js'))];
};

/** The demo runs from the checkout, and `core/cli` does, except with `built`. */
function commandOf(file: string, { shipped, built = !/^(core\/cli|demo)\//.test(file) }: ProcessOptions): string[] {
  if (shipped !== undefined) return ['--preserve-symlinks', '--preserve-symlinks-main', path.join(shipped, file)];
  return built ? builtProgram(file) : ['--import', loader, path.join(rootFolder, file)];
}

/** @param file path from the root, such as `api/main.ts` */
export function startProcess(file: string, options: ProcessOptions): ServiceProcess {
  const { args = [], env, leader = false, shipped } = options;
  const command = commandOf(file, options);
  const child = spawn(process.execPath, [...command, ...args], {
    cwd: shipped ?? rootFolder,
    // TypeScript is compiled into the cache of all runs, the build into one that is as new as the build.
    env: { ...cleanEnvironment(), ...(!command.includes(loader) && buildCache()), ...env },
    detached: leader,
    stdio: leader ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`the process ${file} did not start`);
  let output = '';
  child.stdout?.on('data', chunk => {
    output += chunk;
  });
  child.stderr?.on('data', chunk => {
    output += chunk;
  });
  const ended = new Promise<number | string>(resolve => {
    child.once('exit', (code, signal) => resolve(code ?? signal ?? 0));
  });
  const ready = readyOf(child, ended, () => output);
  ready.catch(() => undefined); // Not every test awaits it.
  return {
    pid,
    ready,
    ended,
    output: () => output,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    kill: signal => void process.kill(leader ? -pid : pid, signal),
  };
}

/** Stops the processes that are still running, and waits for their exit. */
export async function stopProcesses(processes: readonly ServiceProcess[]): Promise<void> {
  await Promise.all(
    processes.map(async running => {
      if (!running.isAlive()) return;
      running.kill('SIGTERM');
      const kill = setTimeout(() => running.isAlive() && running.kill('SIGKILL'), 30_000);
      await running.ended;
      clearTimeout(kill);
    }),
  );
}

/** Links the shared unpacked browser into a data folder, so that it is not unpacked again. */
export function linkBrowserFolder(dataFolder: string): void {
  mkdirSync(cacheFolder, { recursive: true });
  symlinkSync(cacheFolder, path.join(dataFolder, 'browser'));
}

function readyOf(child: ChildProcess, ended: Promise<unknown>, output: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    child.on('message', message => {
      if (typeof message === 'object' && 'ready' in message) resolve(String(message.ready));
    });
    child.stdout?.on('data', () => {
      const url = /Portal Service is ready: API (http\S+?),/.exec(output())?.[1];
      if (url !== undefined) resolve(url);
    });
    void ended.then(how => reject(new Error(`the process exited (${how}) before it was ready:\n${output()}`)));
  });
}

/** The environment without variables that would configure the service. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const { DATABASE_URL, REDIS_URL, PORT, DATA_DIR, NODE_OPTIONS, VITEST, NODE_ENV, ...rest } = process.env;
  // All cities and communities, fewer towers: the sandbox, database and workers of most tests need not handle 12,000.
  return { SANDBOX_PLACES: '1000', ...rest };
}

/** As in the image. */
function buildCache(): NodeJS.ProcessEnv {
  const { [buildVariable]: build, NODE_COMPILE_CACHE } = process.env;
  return build === undefined ? {} : { NODE_COMPILE_CACHE: NODE_COMPILE_CACHE ?? path.join(build, 'compile-cache') };
}
