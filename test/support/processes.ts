/** The service's processes as they run in production: started, watched and ended by their ids. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { rootFolder } from '../../core/runtime/discover.ts';
import { cacheFolder } from './printing.ts';

export interface ServiceProcess {
  pid: number;
  /** What it says when it is ready: the API its address, a worker its name. Rejects when it ends before. */
  ready: Promise<string>;
  /** The exit code, or the signal that ended it. */
  ended: Promise<number | string>;
  isAlive(): boolean;
  /** All it wrote to standard output and standard error. */
  output(): string;
  kill(signal: NodeJS.Signals): void;
}

export interface ProcessOptions {
  args?: readonly string[];
  env: Record<string, string>;
  /** Leader of a process group of its own, as a terminal makes it; without a channel to us. */
  leader?: boolean;
  /** A folder that `shipService` made: the file is run from there, as it is. */
  shipped?: string;
  /** What starts a checkout is run as it is built, and so is all that it starts: that takes half of the time. */
  built?: boolean;
}

/** Names the folder of the build that `test-build.ts` makes. */
export const buildVariable = 'PORTAL_TEST_BUILD';

/** A process of the service runs as it is built, where there is a build; what starts a checkout does if told to. */
function commandOf(file: string, { shipped, built = false }: ProcessOptions): string[] {
  if (shipped !== undefined)
    return ['--preserve-symlinks', '--preserve-symlinks-main', path.join(shipped, file)];
  const build = process.env[buildVariable];
  return build !== undefined && (built || /^(api|workers|sandbox)\//.test(file))
    ? ['--enable-source-maps', path.join(build, file.replace(/\.ts$/, '.js'))]
    : ['--import', 'tsx', path.join(rootFolder, file)];
}

/** @param file from the root, such as `api/main.ts` */
export function startProcess(file: string, options: ProcessOptions): ServiceProcess {
  const { args = [], env, leader = false, shipped } = options;
  const child = spawn(process.execPath, [...commandOf(file, options), ...args], {
    cwd: shipped ?? rootFolder,
    env: { ...ownEnvironment(), ...env },
    detached: leader,
    stdio: leader ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${file} could not be started`);
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
  ready.catch(() => undefined); // Not every test waits for it.
  return {
    pid,
    ready,
    ended,
    output: () => output,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    kill: signal => void process.kill(leader ? -pid : pid, signal),
  };
}

/** Ends what still runs, and waits for it. */
export async function endProcesses(processes: readonly ServiceProcess[]): Promise<void> {
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

/** The unpacked browser of other tests, so that not every data folder gets one. */
export function lendBrowser(dataFolder: string): void {
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
    void ended.then(how => reject(new Error(`it ended (${how}) before it was ready:\n${output()}`)));
  });
}

/** What the machine's own settings of the service would be is none of a test's business. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const { DATABASE_URL, REDIS_URL, PORT, DATA_DIR, NODE_OPTIONS, VITEST, NODE_ENV, ...rest } = process.env;
  return rest;
}
