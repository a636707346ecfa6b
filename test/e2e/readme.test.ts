/** Runs the commands of the README as printed. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { freePort } from '../../core/cli/free-port.ts';
import { rootFolder } from '../../core/runtime/discover.ts';
import { linkBrowserFolder, type ServiceProcess, startProcess } from '../support/processes.ts';
import { removeServer, temporaryFolder } from '../support/test-postgres.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const run = promisify(execFile);
const readme = readFileSync(path.join(rootFolder, 'README.md'), 'utf8');
const blocks = [...readme.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text = '']) => text.trim());
const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(path.join(rootFolder, 'package.json'), 'utf8')));

let folders: string[];
let env: Record<string, string>;
let service: ServiceProcess;
let demo: ServiceProcess;

/** The file that an npm script runs after it has installed the dependencies. */
const fileOf = (script: string): string => /(\S+\.ts)$/.exec(scripts[script] ?? '')?.[1] ?? '';

function block(beginning: string): string {
  const found = blocks.find(text => text.startsWith(beginning));
  if (found === undefined) throw new Error(`the README has no code block that begins with ${beginning}`);
  return found;
}

beforeAll(async () => {
  folders = [await temporaryFolder(), await temporaryFolder()];
  const [dataDir = '', demoDir = ''] = folders;
  linkBrowserFolder(dataDir);
  env = {
    NODE_ENV: 'development',
    DATA_DIR: dataDir,
    PORT: String(await freePort()),
    SANDBOX_PORT: String(await freePort()),
    SCHEDULES_OFF: 'all',
  };
  // It mostly waits for the rate limits of the sandbox, so the other tests run meanwhile.
  demo = startProcess(fileOf('demo'), { env: { DATA_DIR: demoDir }, leader: true });
  // The demo starts every process from the checkout; the build takes a third of their CPU time.
  service = startProcess(fileOf('start'), { env, leader: true, built: true });
});
afterAll(async () => {
  for (const started of [service, demo]) {
    if (started?.isAlive()) started.kill('SIGTERM');
    await started?.ended;
  }
  const [dataDir = '', demoDir = ''] = folders;
  await removeServer(dataDir);
  await removeServer(path.join(demoDir, 'demo'));
});

/** Runs the commands in a shell with the ports of the test. */
const inShell = async (commands: string, also: Record<string, string> = {}) =>
  await run(
    'sh',
    ['-ec', commands.replaceAll('localhost:9000', `127.0.0.1:${env.PORT}`).replaceAll(':9100', `:${env.SANDBOX_PORT}`)],
    {
      cwd: rootFolder,
      env: { ...process.env, ...env, ...also, NPM_CONFIG_LOGLEVEL: 'silent' },
    },
  ).catch(error => {
    throw new Error(`${commands}\n${error.stdout}\n${error.stderr}`, { cause: error });
  });

it('npm start prints a client that the curl commands print a brochure with', async () => {
  await service.ready;
  await expect.poll(() => service.output()).toMatch(/^ {2}client {5}/m);
  const [, id = '', secret = ''] = /^ {2}client {5}(\S+) {2}(\S+)$/m.exec(service.output()) ?? [];
  const pdf = path.join(env.DATA_DIR ?? '', 'brochure.pdf');
  const commands = block('TOKEN=');
  expect(commands).toContain('-u CLIENT_ID:CLIENT_SECRET');
  expect(commands).toContain('-o brochure.pdf');
  await inShell(commands.replace('CLIENT_ID:CLIENT_SECRET', `${id}:${secret}`).replace('brochure.pdf', pdf));
  expect(readFileSync(pdf).subarray(0, 5).toString()).toBe('%PDF-');
});

it('npm run client creates a client that gets an access token', async () => {
  const { stdout } = await inShell(block('npm run client'));
  const [, id = ''] = /client id +(\S+)/.exec(stdout) ?? [];
  const [, secret = ''] = /client secret +(\S+)/.exec(stdout) ?? [];
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: id,
    client_secret: secret,
  });
  const answer = await fetch(`http://127.0.0.1:${env.PORT}/v2/oauth/token`, { method: 'POST', body: form });
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({ scope: 'pdf' });
});

it('npm run doctor reports each part without a failure', async () => {
  const { stdout } = await inShell('npm run doctor');
  expect(stdout).toMatch(/^✔ database /m);
  expect(stdout).toMatch(/^✔ browser /m);
});

it('npm run bench lists the benchmarks', async () => {
  const { stdout } = await inShell('npm run bench');
  expect(stdout).toMatch(/soak/);
});

it('npm run client:build builds a package that can be imported', async () => {
  await inShell('npm run client:build');
  const { stdout } = await inShell(
    'node -e "import(\'portal-service-client\').then(m => console.log(Object.keys(m)))"',
  );
  expect(stdout).toContain('createPortalClient');
});

it('npm run demo exits with 0 and writes brochures and reports to out/', async () => {
  expect(await demo.ended).toBe(0);
  const files = [...demo.output().matchAll(/^ {2}(out\/\S+)$/gm)].map(([, file = '']) => file);
  expect(files).toHaveLength(7);
  for (const file of files) expect(readFileSync(path.join(rootFolder, file)).length).toBeGreaterThan(100);
});
