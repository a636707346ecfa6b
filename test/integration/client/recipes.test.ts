/** Packs the client, installs it into an empty folder, and compiles and runs the recipes of its README there. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeClientTypes } from '../../../api/document/client-types.ts';
import { createPortalClient, type PortalClient } from '../../../client/src/index.ts';
import { freePort } from '../../../core/runtime/free-port.ts';
import { startCallbackDispatcher } from '../../../workers/runtime/callback-dispatcher.ts';
import { type BrochureService, startBrochureService } from '../../support/brochure-service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const folder = temporaryFolder();
const app = path.join(folder, 'app');
const readme = readFileSync(path.join(root, 'client/README.md'), 'utf8');
/** File names and texts. */
const recipes = [...readme.matchAll(/```ts\n\/\/ (\S+)\n(.+?)```/gs)].map(([, name = '', text = '']) => ({
  name,
  text,
}));

let brochures: BrochureService;
let client: PortalClient;
let login: { baseUrl: string; clientId: string; clientSecret: string };
let port: number;
let stopCallbacks: () => Promise<void>;

/** Settings of the npm that runs the tests do not apply to the empty folder. */
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
const execute = async (file: string, args: readonly string[], cwd: string): Promise<string> =>
  (await promisify(execFile)(file, args, { cwd, env }).catch(error => Promise.reject(new Error(error.stdout + error))))
    .stdout;

/** The packages of the client's dependencies are those of this checkout, so no registry is needed. */
async function installPackedClient(): Promise<void> {
  const packed = ['client', 'node_modules/openapi-fetch', 'node_modules/openapi-typescript-helpers'];
  const packages = path.join(folder, 'packages');
  mkdirSync(packages);
  mkdirSync(app);
  await writeClientTypes();
  await execute('npm', ['pack', '--silent', ...packed.map(each => path.join(root, each))], packages);
  const files = readdirSync(packages).map(file => path.join(packages, file));
  writeFileSync(path.join(app, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  await execute('npm', ['install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts', ...files], app);
}

async function compileRecipes(): Promise<void> {
  for (const { name, text } of recipes) writeFileSync(path.join(app, name), text);
  const types = ['--types', 'node', '--typeRoots', `${root}/node_modules/@types`];
  const options = ['--strict', '--exactOptionalPropertyTypes', '--module', 'nodenext', '--target', 'es2022', ...types];
  // Less work: libraries of the compiler are not checked, and shared types are checked by one thread.
  const fast = ['--skipDefaultLibCheck', '--singleThreaded'];
  await execute(
    process.execPath,
    [`${root}/node_modules/typescript/bin/tsc`, ...options, ...fast, ...recipes.map(({ name }) => name)],
    app,
  );
}

beforeAll(async () => {
  port = await freePort();
  await Promise.all([
    startBrochureService('recipes', undefined, `127.0.0.1:${port}`).then(started => {
      brochures = started;
    }),
    installPackedClient().then(compileRecipes),
  ]);
  const { service } = brochures;
  login = { baseUrl: `${service.origin}/v2`, clientId: 'recipes', clientSecret: randomUUID() };
  const { clientId, clientSecret } = login;
  await service.clients.put(
    { clientId, clientSecret, name: 'Recipes', scopes: ['pdf'] },
    { kind: 'command', name: 'test' },
  );
  client = createPortalClient(login);
  const callbacks = startCallbackDispatcher(service, {
    baseUrl: login.baseUrl,
    retrySeconds: [0.2, 0.2],
    allow: service.config.EGRESS_ALLOW,
  });
  stopCallbacks = () => callbacks.stop();
});
afterAll(async () => {
  await stopCallbacks?.();
  await brochures?.close();
});

const listing = (photo: string) => ({ reference_number: `MP-${randomUUID()}`, title_en: 'Villa', photo: [photo] });

/** Returns the lines that the compiled recipe prints. */
async function run(name: string, listings: readonly object[], settings: Record<string, string> = {}) {
  writeFileSync(path.join(app, 'listings.json'), JSON.stringify(listings));
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [`${name}.js`], {
    cwd: app,
    timeout: 30_000,
    env: {
      PATH: process.env.PATH,
      PORTAL_URL: login.baseUrl,
      PORTAL_CLIENT_ID: login.clientId,
      PORTAL_CLIENT_SECRET: login.clientSecret,
      ...settings,
    },
  });
  return { lines: stdout.trimEnd().split('\n'), stderr };
}

const firstBytesOf = (file: string): string => readFileSync(path.join(app, file)).subarray(0, 5).toString('latin1');

describe('the packed client', () => {
  it('contains the built files, and no sources', () => {
    const installed = path.join(app, 'node_modules/portal-service-client');
    expect(readdirSync(installed).sort()).toEqual(['README.md', 'commonjs', 'dist', 'package.json']);
    expect(readdirSync(path.join(installed, 'dist'))).toContain('index.js');
  });
});

it('the packed client is cheap to import: the compiler makes few types', async () => {
  const text = "import { jobs } from './used.js';\nfor await (const { id } of jobs) console.log(id);";
  const used = "import { client } from './client.js';\nexport const jobs = client.jobs.list({ limit: 50 });";
  writeFileSync(path.join(app, 'listed.ts'), text);
  writeFileSync(path.join(app, 'used.ts'), used);
  const types = ['--types', 'node', '--typeRoots', `${root}/node_modules/@types`];
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--skipLibCheck', ...types];
  const compiler = `${root}/client/node_modules/typescript/bin/tsc`;
  const output = await execute(process.execPath, [compiler, ...options, '--diagnostics', 'listed.ts'], app);
  expect(Number(/^Types: +(\d+)/m.exec(output)?.[1])).toBeLessThan(600);
});

describe('CommonJS', () => {
  const source = `
    import client = require('portal-service-client');
    import node = require('portal-service-client/node');
    export const isOurs = (error: unknown): error is client.PortalProblem => error instanceof client.PortalProblem;
    export const pagesOf = (job: client.Job<'pdf'>): number | undefined => job.result?.pages;
    try {
      client.createPortalClient({ baseUrl: '/v2', token: () => '' });
    } catch (error) {
      console.log(error instanceof client.InvalidOption && error.name, typeof node.saveTo);
    }`;

  it.each(['node16', 'nodenext'])('has types with the module %s, and runs', async module => {
    writeFileSync(path.join(app, 'common.cts'), source);
    const compiler = `${root}/client/node_modules/typescript/bin/tsc`;
    const types = ['--types', 'node', '--typeRoots', `${root}/node_modules/@types`];
    const options = ['--strict', '--skipDefaultLibCheck', '--module', module, '--target', 'es2022', ...types];
    await execute(process.execPath, [compiler, ...options, 'common.cts'], app);
    expect(await execute(process.execPath, ['common.cjs'], app)).toBe('InvalidOption function\n');
  });
});

describe('the recipe', () => {
  it('print.ts prints a brochure and saves it', async () => {
    const { lines } = await run('print', [listing(brochures.photos.photo(1))]);
    expect(lines.at(-1)).toBe('brochure.pdf: 2 pages');
    expect(firstBytesOf('brochure.pdf')).toBe('%PDF-');
  });

  it('print.ts prints every input error', async () => {
    const { stderr } = await run('print', [{ reference_number: '', title_en: 'Villa' }]);
    expect(stderr).toContain('/list/0/reference_number: must not be empty');
  });

  it('preview.ts saves a page as JPEG', async () => {
    expect((await run('preview', [listing(brochures.photos.photo(2))])).lines).toEqual(['image/jpeg']);
    expect(firstBytesOf('page.jpg')).toBe('\xff\xd8\xff\xe0\0');
  });

  it('time-limit.ts cancels a job that takes too long', async () => {
    const { lines } = await run('time-limit', [listing(brochures.photos.blocked())], { TIMEOUT_MS: '50' });
    expect(lines).toEqual(['cancelled']);
  });

  it('retry-failed.ts retries the failed jobs', async () => {
    const missing = listing(`${brochures.photos.origin}/missing.jpg`);
    const failed = await client.waitForJob(await client.submitPdf([missing], { onError: 'fail' }));
    expect(failed.state).toBe('failed');
    const { lines } = await run('retry-failed', []);
    expect(lines).toEqual([`${failed.id} ${failed.error?.detail}`, `${failed.id} failed undefined`]);
    const retried = await client.waitForJob(failed);
    expect(retried.finishedAt).not.toBe(failed.finishedAt);
  });

  it('callback.ts verifies the signed callback of a job', async () => {
    const settings = { PORT: String(port), CALLBACK_URL: `http://127.0.0.1:${port}/` };
    const { lines } = await run('callback', [listing(brochures.photos.photo(3))], settings);
    expect(lines).toEqual([expect.stringMatching(/^pdf_\S+ succeeded 2$/)]);
  });

  it('exists for five tasks', () =>
    expect(recipes.map(({ name }) => name)).toEqual([
      'client.ts',
      'print.ts',
      'preview.ts',
      'time-limit.ts',
      'retry-failed.ts',
      'callback.ts',
    ]));
});
