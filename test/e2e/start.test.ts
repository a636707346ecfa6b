/** `npm start`: one process that starts, supervises and stops the others; and the README's commands for its service. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { Readiness } from '../../api/operations/health/readiness.ts';
import { runningPostmaster } from '../../core/postgres/embedded/pid-file.ts';
import { freePort } from '../../core/runtime/free-port.ts';
import { openFilesIn } from '../support/open-files.ts';
import { ownProcesses } from '../support/printing.ts';
import { linkBrowserFolder, type ServiceProcess, startProcess } from '../support/processes.ts';
import { codeBlock, fileOfScript, runInShell } from '../support/readme.ts';
import { removeServer, temporaryFolder } from '../support/test-postgres.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

let dataDir: string;
let env: Record<string, string>;
/** The service of most tests. */
let service: ServiceProcess;
const started: ServiceProcess[] = [];

beforeAll(async () => {
  dataDir = await temporaryFolder();
  linkBrowserFolder(dataDir);
  // As earlier versions created it.
  mkdirSync(path.join(dataDir, 'results', 'objects'), { recursive: true, mode: 0o755 });
  env = {
    NODE_ENV: 'development',
    LOG_LEVEL: 'info',
    DATA_DIR: dataDir,
    PORT: String(await freePort()),
    SANDBOX_PORT: String(await freePort()),
    SCHEDULES_OFF: 'all',
  };
});
afterAll(async () => {
  for (const supervisor of started) if (supervisor.isAlive()) supervisor.kill('SIGKILL');
  await removeServer(dataDir);
});

/** @param built runs the build, which takes a third of the CPU time of a start from the checkout */
function launch(extraEnv: Record<string, string> = {}, built = true): ServiceProcess {
  const supervisor = startProcess(fileOfScript('start'), { env: { ...env, ...extraEnv }, leader: true, built });
  started.push(supervisor);
  return supervisor;
}

/** Stops it at the end of the test, also where that fails. */
function start(...options: Parameters<typeof launch>): ServiceProcess {
  const supervisor = launch(...options);
  onTestFinished(async () => {
    if (supervisor.isAlive()) supervisor.kill('SIGTERM');
    await supervisor.ended;
  });
  return supervisor;
}

const files = ['sandbox/main.ts', 'api/main.ts', 'workers/main.ts', 'workers/scheduler.ts'];
/** The child processes by their file, which is their only distinction: no other service may run meanwhile. */
const childrenOf = ({ pid }: ServiceProcess): Map<string, number> => {
  const children = ownProcesses('.').filter(({ parent }) => parent === pid);
  return new Map(
    files.flatMap(file => {
      const child = children.find(({ command }) => command.includes(file.replace(/ts$/, '')));
      return child ? [[file, child.pid] as const] : [];
    }),
  );
};
const isAlive = (pid: number): boolean => {
  try {
    // A zombie has ended.
    return process.kill(pid, 0) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};
const postmaster = () => runningPostmaster(path.join(dataDir, 'postgres', 'cluster', 'data'));
const readiness = (url: string): Promise<string> =>
  fetch(`${url}/health/ready`).then(
    async answer => {
      const { status, checks } = Readiness.parse(await answer.json());
      const failed = Object.keys(checks).filter(name => checks[name]?.some(check => check.status === 'fail'));
      return [answer.status, status, ...failed].join(' ');
    },
    () => 'no answer',
  );
/** On a machine that runs other tests, a part may take longer for its first answer than the check waits. */
const expectReady = (url: string) => expect.poll(() => readiness(url)).toMatch(/^200 /);

/** For tests that start another one on the same data folder. */
async function stopService(): Promise<void> {
  if (!service?.isAlive()) return;
  service.kill('SIGTERM');
  await service.ended;
}

describe('npm start', () => {
  // A test may have stopped the service or killed parts of it.
  beforeEach(async () => {
    if (!service?.isAlive()) service = launch();
    const url = await service.ready;
    const isReady = async () => childrenOf(service).size === files.length && (await readiness(url)).startsWith('200 ');
    await vi.waitUntil(isReady, { timeout: 120_000, interval: 100 });
  });

  it('prints the URLs in one line, and all of them answer', async () => {
    const url = await service.ready;
    expect(url).toBe(`http://127.0.0.1:${env.PORT}/v2`);
    expect((await fetch(`${url}/docs/`)).status).toBe(200);
    expect((await fetch(`http://127.0.0.1:${env.SANDBOX_PORT}/photos/01.jpg`)).status).toBe(200);
    expect([...childrenOf(service).keys()]).toEqual(files);
  });

  it('ends its output with commands that print a brochure', async () => {
    const output = () => service.output();
    const pattern = /^TOKEN=(.+\\\n)+.+\ncurl (.+\\\n)+.+$/m;
    await expect.poll(output).toMatch(pattern);
    const [commands = ''] = pattern.exec(output()) ?? [];
    await promisify(execFile)('sh', ['-c', commands], { cwd: dataDir });
    expect(readFileSync(path.join(dataDir, 'brochure.pdf')).subarray(0, 5).toString()).toBe('%PDF-');
  });

  it('prints no token, and secrets of the development logins to the terminal only', () => {
    const [, secret = ''] = /^ {2}client {5}\S+ {2}(\S+)$/m.exec(service.output()) ?? [];
    const [, password = ''] = /^ {2}operations \S+ {2}ops {2}(\S+)$/m.exec(service.output()) ?? [];
    expect([secret, password]).not.toContain('');
    expect(service.output()).not.toMatch(/\bpst_/);
    const log = service
      .output()
      .split('\n')
      .filter(line => /^\{|^\[\d/.test(line))
      .join('\n');
    expect(log).toContain('is ready');
    expect([secret, password].filter(given => log.includes(given))).toEqual([]);
  });

  it('prints a client that the curl commands of the README print a brochure with', async () => {
    const output = service.output();
    const [, id = '', secret = ''] = /^ {2}client {5}(\S+) {2}(\S+)$/m.exec(output) ?? [];
    const pdf = path.join(dataDir, 'readme.pdf');
    const commands = codeBlock('TOKEN=');
    expect(commands).toContain('-u CLIENT_ID:CLIENT_SECRET');
    expect(commands).toContain('-o brochure.pdf');
    const withClient = commands.replace('CLIENT_ID:CLIENT_SECRET', `${id}:${secret}`);
    await runInShell(withClient.replace('brochure.pdf', pdf), env);
    expect(readFileSync(pdf).subarray(0, 5).toString()).toBe('%PDF-');
  });

  it('serves a client of npm run client, which gets an access token', async () => {
    const output = await runInShell(codeBlock('npm run client'), env);
    const [, id = ''] = /client id +(\S+)/.exec(output) ?? [];
    const [, secret = ''] = /client secret +(\S+)/.exec(output) ?? [];
    const form = new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret });
    const answer = await fetch(`http://127.0.0.1:${env.PORT}/v2/oauth/token`, { method: 'POST', body: form });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ scope: 'pdf' });
  });

  /** Brochures that the commands of the summary and README have downloaded into the folder. */
  const isWrittenByTests = (file: string) => file.endsWith('.pdf 644');
  /** Programs, copied for PostgreSQL's account into its own folder where it cannot read those of the checkout. */
  const isProgram = (file: string) => file.includes('/postgres/binaries-');

  it('keeps results, caches and locks from other users of the machine', () => {
    expect(openFilesIn(dataDir).filter(file => !isWrittenByTests(file) && !isProgram(file))).toEqual([]);
    // As root, the account of PostgreSQL passes through it.
    expect(statSync(dataDir).mode & 0o066).toBe(0);
  });

  it('has no failure in npm run doctor', async () => {
    const output = await runInShell('npm run doctor', env);
    expect(output).toMatch(/^✔ database /m);
    expect(output).toMatch(/^✔ browser /m);
  });

  it('exits with one sentence when it already runs on the same data folder', async () => {
    const second = start();
    expect(await second.ended).toBe(78);
    expect(second.output()).toMatch(
      new RegExp(`^Portal Service already runs on ${dataDir} \\(process ${service.pid}\\)\\. .+ DATA_DIR .+\\.$`, 'm'),
    );
    await expectReady(`http://127.0.0.1:${env.PORT}/v2`);
  });

  it.each(files)('restarts %s when it is killed', async file => {
    const killed = childrenOf(service).get(file) ?? 0;
    process.kill(killed, 'SIGKILL');
    const successor = () => {
      const pid = childrenOf(service).get(file);
      return pid !== undefined && pid !== killed;
    };
    await expect.poll(successor).toBe(true);
    await expectReady(`http://127.0.0.1:${env.PORT}/v2`);
  });

  it('restarts PostgreSQL when it is killed', async () => {
    const killed = postmaster()?.pid ?? 0;
    process.kill(killed, 'SIGKILL');
    await expect.poll(() => isAlive(killed)).toBe(false);
    await expect.poll(() => postmaster()?.pid).toBeDefined();
    await expectReady(`http://127.0.0.1:${env.PORT}/v2`);
  });

  it('has no remaining children after SIGKILL, and the next start reuses PostgreSQL', async () => {
    const killed = service;
    const children = [...childrenOf(killed).values()];
    const database = postmaster()?.pid;
    process.kill(killed.pid, 'SIGKILL');
    await killed.ended;
    await expect.poll(() => children.filter(isAlive)).toEqual([]);
    expect(postmaster()?.pid).toBe(database);

    service = launch();
    await expectReady(await service.ready);
    expect(postmaster()?.pid).toBe(database);
  });

  it('stops with all its processes on one or more SIGINT', async () => {
    const all = [...childrenOf(service).values(), postmaster()?.pid ?? 0].filter(isAlive);
    expect(all).toHaveLength(files.length + 1);
    // A terminal sends SIGINT to the process group, and npm forwards it again.
    service.kill('SIGINT');
    process.kill(service.pid, 'SIGINT');
    expect(await service.ended).toBe(0);
    expect(all.filter(isAlive)).toEqual([]);
    expect(postmaster()).toBeUndefined();
    expect(existsSync(path.join(dataDir, 'start.lock'))).toBe(false);
  });
});

describe('npm start on a stopped service', () => {
  beforeEach(stopService);

  it('shuts down on SIGINT during the start', async () => {
    const starting = start();
    await expect.poll(() => childrenOf(starting).size).toBe(files.length);
    const children = [...childrenOf(starting).values()];
    starting.kill('SIGINT');
    expect(await starting.ended).toBe(0);
    expect(children.filter(isAlive)).toEqual([]);
    expect(postmaster()).toBeUndefined();
  });

  it('ends with one sentence and no remaining process when a setting of a child process is invalid', async () => {
    const failed = start({ MAX_WAIT_SECONDS: 'long' });
    expect(await failed.ended).toBe(78);
    expect(failed.output()).toMatch(/^MAX_WAIT_SECONDS must be a whole number from 0 to 600\.$/m);
    expect(childrenOf(failed).size).toBe(0);
    expect(postmaster()).toBeUndefined();
  });
});

describe('npm start ends with one line before it starts anything else', () => {
  const fails = async (extraEnv: Record<string, string>) => {
    // While the service is stopped, another program may have taken its ports.
    const ports = { PORT: String(await freePort()), SANDBOX_PORT: String(await freePort()) };
    const failed = start({ DATA_DIR: path.join(dataDir, 'failed'), ...ports, ...extraEnv }, true);
    const code = await failed.ended;
    expect(childrenOf(failed).size).toBe(0);
    return { code, output: failed.output().trim() };
  };

  it.each(['PORT', 'SANDBOX_PORT'])('when the port of %s is in use', async variable => {
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = z.object({ port: z.number() }).parse(server.address());
    expect(await fails({ [variable]: String(port) })).toEqual({
      code: 1,
      output: `Port ${port} is in use at 127.0.0.1: stop the program that uses it, or set ${variable} to another port.`,
    });
  });

  it('when the database refuses the connection, without the password', async () => {
    expect(await fails({ DATABASE_URL: 'postgres://portal:secret@127.0.0.1:1/portal' })).toEqual({
      code: 1,
      output:
        'The database postgres://portal:***@127.0.0.1:1/portal cannot be used: cannot connect to PostgreSQL ' +
        '(ECONNREFUSED): start it, or correct DATABASE_URL.',
    });
  });

  it('in production without PUBLIC_URL, and names what else is missing', async () => {
    const { code, output } = await fails({ NODE_ENV: 'production' });
    expect(code).toBe(78);
    expect(output.split('\n').map(line => line.split(' is not set')[0]?.split(' are not set')[0])).toEqual([
      'PUBLIC_URL',
      'OPS_USER and OPS_PASSWORD',
      'BOOTSTRAP_CLIENT_ID and BOOTSTRAP_CLIENT_SECRET',
    ]);
  });
});

describe('an invalid setting', () => {
  it('of npm start ends it with one sentence before it opens anything', async () => {
    const untouched = path.join(dataDir, 'untouched');
    const failed = start({ PORT: 'nine thousand', DATA_DIR: untouched }, false);
    expect(await failed.ended).toBe(78);
    expect(failed.output().trim()).toBe('PORT must be a whole number from 0 to 65535.');
    expect(existsSync(untouched)).toBe(false);
  });

  it.each(['api/main.ts', 'workers/main.ts'])('of %s alone is reported in one sentence per setting', async file => {
    const failed = startProcess(file, {
      env: { ...env, PORT: '-1', DATABASE_URL: 'mysql://db', LOG_LEVEL: 'loud' },
    });
    started.push(failed);
    expect(await failed.ended).toBe(78);
    expect(failed.output().trim().split('\n')).toEqual([
      'LOG_LEVEL must be fatal, error, warn, info, debug, trace or silent.',
      'PORT must be a whole number from 0 to 65535.',
      'DATABASE_URL must be a postgres:// or postgresql:// address.',
    ]);
  });

  it('of a queue name on the worker’s command line is reported in one sentence', async () => {
    const failed = startProcess('workers/main.ts', { env, args: ['pfd'] });
    started.push(failed);
    expect(await failed.ended).toBe(78);
    expect(failed.output().trim()).toBe('No queue is named pfd.');
  });
});
