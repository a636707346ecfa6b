/** `npm run demo`: starts everything, has both brochures of the sample listings made, and says where they are. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { checkConfig, readConfig } from '../config.ts';
import { rootFolder } from '../discover.ts';
import { createLogger } from '../logger.ts';
import { DemoClient } from './demo-client.ts';
import { freePort } from './free-port.ts';
import { showJob } from './progress-bar.ts';
import { LaunchConfig, type Service, startService } from './service.ts';

const outFolder = path.join(rootFolder, 'out');
const samples = path.join(import.meta.dirname, 'demo-listings.json');

const brochures = [
  { name: 'classic', path: '/apps/portal/v1/pdf', file: 'brochure-classic.pdf' },
  { name: 'new', path: '/apps/portal/v1/pdf-new', file: 'brochure-new.pdf' },
];

const say = (text: string) => process.stdout.write(`${text}\n`);

/** Ports and a data folder of its own, so that it runs beside an `npm start`. */
async function demoEnvironment(): Promise<void> {
  process.env.NODE_ENV = 'development';
  process.env.DATA_DIR = path.join(process.env.DATA_DIR ?? '.data', 'demo');
  process.env.PORT = String(await freePort());
  process.env.SANDBOX_PORT = String(await freePort());
  process.env.LOG_LEVEL ??= 'warn';
  // What the demo shows is what it started itself.
  process.env.SCHEDULES_OFF = 'all';
}

/** @returns the files written */
async function makeBrochures(service: Service, sandboxPort: number): Promise<string[]> {
  const client = await DemoClient.connect(service);
  const listings = (await readFile(samples, 'utf8')).replaceAll('127.0.0.1:9100', `127.0.0.1:${sandboxPort}`);
  await mkdir(outFolder, { recursive: true });
  const files: string[] = [];
  for (const brochure of brochures) {
    const job = await client.submit(brochure.path, listings);
    await showJob(brochure.name, job, id => client.job(id));
    const file = path.join(outFolder, brochure.file);
    await writeFile(file, await client.result(job.id));
    files.push(file);
  }
  return files;
}

async function main(): Promise<void> {
  await demoEnvironment();
  checkConfig([LaunchConfig]);
  const config = readConfig(LaunchConfig);
  say('Starting Portal Service: PostgreSQL, API, worker, scheduler, sandbox …');
  const service = await startService(config, createLogger('demo', config), () => process.exit(1));
  try {
    say(`The API answers at ${service.url}.`);
    const files = await makeBrochures(service, config.SANDBOX_PORT);
    say('\nDone. Look at:');
    for (const file of files) say(`  ${path.relative(process.cwd(), file)}`);
    say('\nnpm start runs the same service until Ctrl-C.');
  } finally {
    await service.stop();
  }
}

try {
  await main();
  process.exit(0);
} catch (error) {
  process.stderr.write(`\nThe demo failed: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
