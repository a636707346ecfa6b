/** `npm run demo`: starts everything, has brochures made and each synchronisation run, and says where to look. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { checkConfig, readConfig } from '../config.ts';
import { emptyDatabase } from '../db/empty-database.ts';
import { rootFolder } from '../discover.ts';
import { createLogger } from '../logger.ts';
import { DemoClient } from './demo-client.ts';
import { freePort } from './free-port.ts';
import { showJob } from './progress-bar.ts';
import { LaunchConfig, startService } from './service.ts';

const outFolder = path.join(rootFolder, 'out');
const samples = path.join(import.meta.dirname, 'demo-listings.json');

interface Brochure {
  name: string;
  path: string;
  file: string;
}

const brochures: readonly Brochure[] = [
  { name: 'brochure, classic', path: '/apps/portal/v1/pdf', file: 'brochure-classic.pdf' },
  { name: 'brochure, new', path: '/apps/portal/v1/pdf-new', file: 'brochure-new.pdf' },
];

interface Synchronisation extends Brochure {
  /** Absent where it is started with a GET. */
  body?: string;
}

const synchronisations: readonly Synchronisation[] = [
  { name: 'deals', path: '/apps/crm/v1/deals/acquire', file: 'deals-acquisition.json' },
  {
    name: 'CRM locations',
    path: '/apps/crm/v1/locations/acquire',
    body: '{}',
    file: 'locations-acquisition.json',
  },
  { name: 'location sync', path: '/apps/crm/v1/locations/sync', body: '{}', file: 'location-sync.json' },
  {
    name: 'employee resync',
    path: '/apps/employees/v1/employees/sync',
    body: '{}',
    file: 'employee-resync.json',
  },
  { name: 'event orders', path: '/apps/events/v1/orders/process', body: '{}', file: 'event-orders.json' },
];

const say = (text: string) => process.stdout.write(`${text}\n`);

/** Ports and a data folder of its own, so that it runs beside an `npm start`. */
async function demoEnvironment(): Promise<void> {
  process.env.NODE_ENV = 'development';
  process.env.DATA_DIR = path.join(process.env.DATA_DIR ?? '.data', 'demo');
  process.env.PORT = String(await freePort());
  process.env.SANDBOX_PORT = String(await freePort());
  process.env.LOG_LEVEL ??= 'warn';
  // What the demo shows is what it started itself, with the sandbox, which begins anew each time.
  process.env.SCHEDULES_OFF = 'all';
  delete process.env.DATABASE_URL;
}

/** @returns the file written */
async function makeBrochure(client: DemoClient, brochure: Brochure, sandboxPort: number): Promise<string> {
  const listings = (await readFile(samples, 'utf8')).replaceAll('127.0.0.1:9100', `127.0.0.1:${sandboxPort}`);
  const job = await client.submit(brochure.path, listings);
  await showJob(brochure.name, job, id => client.job(id));
  const file = path.join(outFolder, brochure.file);
  await writeFile(file, await client.result(job.id));
  return file;
}

/** @returns the file with the report */
async function synchronise(client: DemoClient, sync: Synchronisation): Promise<string> {
  const job = await client.submit(sync.path, sync.body);
  const { result } = await showJob(sync.name, job, id => client.job(id));
  say(`  ${figuresOf(result)}`);
  const file = path.join(outFolder, sync.file);
  await writeFile(file, `${JSON.stringify(result, null, 2)}\n`);
  return file;
}

/** Such as `12000 read, 970 created, 6.2 seconds`: what is not nought. */
function figuresOf(report: unknown): string {
  const figures = Object.entries(report ?? {}).filter(([, value]) => typeof value === 'number' && value > 0);
  return figures.map(([name, value]) => `${value} ${name}`).join(', ');
}

async function main(): Promise<void> {
  await demoEnvironment();
  checkConfig([LaunchConfig]);
  const config = readConfig(LaunchConfig);
  say('Starting Portal Service: PostgreSQL, API, worker, scheduler, sandbox …');
  const logger = createLogger('demo', config);
  const service = await startService(config, logger, () => process.exit(1), emptyDatabase);
  try {
    say(`The API answers at ${service.url}.`);
    await mkdir(outFolder, { recursive: true });
    const client = await DemoClient.connect(service);
    const files: string[] = [];
    for (const brochure of brochures) files.push(await makeBrochure(client, brochure, config.SANDBOX_PORT));
    for (const sync of synchronisations) files.push(await synchronise(client, sync));
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
