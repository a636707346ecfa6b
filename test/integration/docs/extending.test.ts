/** Writes the examples of docs/extending.md into a copy of the service: they compile, are discovered and work. */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, inject, it } from 'vitest';
import { z } from 'zod';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { createTestDatabase } from '../../support/test-database.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const folders = ['api', 'client', 'core', 'sandbox', 'templates', 'workers'];
const run = promisify(execFile);
let copy: string;
const added: string[] = [];
/** As for end-to-end tests: each starts a compiler or processes. */
const timeLimit = { timeout: 180_000 };

beforeAll(() => {
  copy = path.join(temporaryFolder(), 'service');
  for (const folder of folders) {
    const filter = (file: string) => !file.endsWith('node_modules') && !file.endsWith('dist');
    cpSync(path.join(root, folder), path.join(copy, folder), { recursive: true, filter });
  }
  for (const file of ['package.json', 'tsconfig.json', 'build.ts'])
    cpSync(path.join(root, file), path.join(copy, file));
  symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
  const page = readFileSync(path.join(root, 'docs/extending.md'), 'utf8');
  for (const [, file = '', text = ''] of page.matchAll(/^```ts (\S+)\n(.*?)^```$/gms)) {
    mkdirSync(path.dirname(path.join(copy, file)), { recursive: true });
    writeFileSync(path.join(copy, file), text);
    added.push(file);
  }
  writeFileSync(path.join(copy, 'try.ts'), trial);
});

it.concurrent('compile', timeLimit, async ({ expect }) => {
  const { compilerOptions } = z
    .object({ compilerOptions: z.record(z.string(), z.unknown()) })
    .parse(JSON.parse(readFileSync(path.join(root, 'tsconfig.json'), 'utf8')));
  // The file of an incremental build would be that of the checkout.
  const options = { ...compilerOptions, incremental: undefined, tsBuildInfoFile: undefined };
  writeFileSync(path.join(copy, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: added }));
  const compiler = path.join(root, 'node_modules/.bin/tsc');
  // Several threads would check the shared types once each.
  const { stdout } = await run(process.execPath, [compiler, '-p', '.', '--singleThreaded'], { cwd: copy }).catch(
    error => error,
  );
  expect(stdout).toBe('');
});

it.concurrent('are discovered in the checkout and work', timeLimit, async ({ expect }) => {
  expect(await runTrial('sandbox/main.ts', ['--import', './core/cli/typescript.mjs', 'try.ts'])).toEqual(found);
});

it.concurrent('are discovered in the build and work', timeLimit, async ({ expect }) => {
  writeFileSync(path.join(copy, 'build-trial.ts'), "await (await import('./build.ts')).build('dist', ['try.ts']);");
  await run(process.execPath, ['--import', './core/cli/typescript.mjs', 'build-trial.ts'], { cwd: copy });
  expect(await runTrial('dist/sandbox/main.js', ['dist/try.js'])).toEqual(found);
});

const found = {
  operations: ['rates.check', 'rates.get'],
  documented: { currency: 'EUR', dirhams: '4.2875' },
  rate: { currency: 'EUR', dirhams: '4.2875' },
  schedule: 'Reads the rate of the euro.',
  handler: 'rate-check',
  check: { level: 'ok', found: 'Asia/Dubai is known' },
  task: { counts: { processes: 0 }, finished: true },
};

async function runTrial(sandbox: string, args: string[]): Promise<unknown> {
  const database = await createTestDatabase('extending');
  try {
    const env = { ...process.env, DATABASE_URL: database.url, REDIS_URL: inject('redisUrl') ?? '', SANDBOX: sandbox };
    const { stdout } = await run(process.execPath, args, { cwd: copy, env });
    return JSON.parse(stdout);
  } finally {
    await database.drop();
  }
}

/** Runs in the copy, with its modules. */
const trial = `
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { pino } from 'pino';
import { loadOperations } from './api/http/load-operations.ts';
import { apiDocument } from './api/document/api-document.ts';
import { createCallBudgets } from './core/integrations/kit/call-budget.ts';
import { openDatabase } from './core/postgres/client.ts';
import { coreChecks } from './core/doctor/check.ts';
import { discoverContracts, discoverHandlers } from './core/jobs/discover.ts';
import { openIntegrationContext } from './core/integrations/kit/context.ts';
import { discoverTasks } from './workers/maintenance/task.ts';
const named = (all, name) => all.find(one => one.name === name || one.id === name);
const logger = pino({ level: 'silent' });
const databaseUrl = process.env.DATABASE_URL;
const database = openDatabase({ url: databaseUrl, poolSize: 2, logger, applicationName: 'extending' });
const sandbox = spawn(process.execPath, [...process.execArgv, process.env.SANDBOX], {
  env: { ...process.env, SANDBOX_PORT: '0', DATABASE_URL: '' },
  stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
});
const [{ ready: sandboxUrl }] = await once(sandbox, 'message');
const budgets = createCallBudgets(database);
const systems = openIntegrationContext({ env: {}, sandboxUrl, databaseUrl, budgets, logger });
const operations = await loadOperations();
const get = named(operations, 'rates.get');
const { body: rate } = await get.handle({ params: { currency: 'EUR' } }, { services: { systems } });
const document = apiDocument(operations, [...(await discoverContracts()).values()]);
const described = document.paths['/apps/rates/v1/rates/{currency}'].get.responses[200];
const task = named(await discoverTasks(), 'heartbeats-of-the-dead');
process.stdout.write(JSON.stringify({
  operations: operations.filter(({ group }) => group === 'rates').map(({ id }) => id).sort(),
  documented: described.content['application/json'].example,
  rate,
  schedule: (await discoverContracts()).get('rate-check').schedules[0].summary,
  handler: (await discoverHandlers(['rate-check']))[0].job.kind,
  check: await named(await coreChecks(), 'time-zone').run({}),
  task: await task.run({ database }),
}));
await database.close();
sandbox.kill();
process.exit(0);
`;
