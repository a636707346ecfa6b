/** `npm run demo`: starts the service, prints brochures, runs each synchronisation, and lists the files written. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Job, jobOf, type PortalClient } from '../client/src/index.ts';
import { saveTo } from '../client/src/node.ts';
import { StartConfig, startService } from '../core/cli/service.ts';
import { emptyDatabase } from '../core/postgres/migrate.ts';
import { checkConfig, readConfig } from '../core/runtime/config.ts';
import { rootFolder } from '../core/runtime/discover.ts';
import { SyncReport } from '../core/sync/report.ts';
import { createLogger } from '../core/telemetry/logger.ts';
import { connect, demoEnvironment, sampleListings } from './demo-service.ts';

const outFolder = path.join(rootFolder, 'out');

const barWidth = 30;
const drawIntervalMs = 150;
/** Gives nine lines at most, with the last one ten. */
const minStepPercent = 12;

const designs = ['classic', 'new'] as const;

interface Synchronisation {
  name: string;
  file: string;
  start(api: PortalClient['api']): Promise<Job>;
}

const synchronisations: readonly Synchronisation[] = [
  {
    name: 'deals',
    file: 'deals-acquisition.json',
    start: api => jobOf(api.GET('/apps/crm/v1/deals/acquire')),
  },
  {
    name: 'CRM locations',
    file: 'locations-acquisition.json',
    start: api => jobOf(api.POST('/apps/crm/v1/locations/acquire', { body: {} })),
  },
  {
    name: 'location sync',
    file: 'location-sync.json',
    start: api => jobOf(api.POST('/apps/crm/v1/locations/sync', { body: {} })),
  },
  {
    name: 'employee resync',
    file: 'employee-resync.json',
    start: api => jobOf(api.POST('/apps/employees/v1/employees/sync', { body: {} })),
  },
  {
    name: 'event orders',
    file: 'event-orders.json',
    start: api => jobOf(api.POST('/apps/events/v1/orders/process', { body: {} })),
  },
];

const say = (text: string) => process.stdout.write(`${text}\n`);

/** @returns the file written */
async function printBrochure(
  client: PortalClient,
  design: (typeof designs)[number],
  sandboxPort: number,
): Promise<string> {
  const submitted = await client.submitPdf(await sampleListings(sandboxPort), { design });
  const job = await showJob(`brochure, ${design}`, client, submitted);
  const file = path.join(outFolder, `brochure-${design}.pdf`);
  await saveTo(file, await client.download(job));
  say(`  wrote ${path.relative(process.cwd(), file)}`);
  return file;
}

/** @returns the file with the report */
async function synchronise(client: PortalClient, sync: Synchronisation): Promise<string> {
  const { result } = await showJob(sync.name, client, await sync.start(client.api));
  say(`  ${figuresOf(result)}`);
  const file = path.join(outFolder, sync.file);
  await writeFile(file, `${JSON.stringify(result, null, 2)}\n`);
  return file;
}

/** The numbers of the report that are not 0, such as `12000 read, 970 created, 6.2 seconds`. */
function figuresOf(report: unknown): string {
  const figures = Object.entries(report ?? {}).filter(([, value]) => typeof value === 'number' && value > 0);
  return figures.map(([name, value]) => `${value} ${name}`).join(', ');
}

/**
 * Waits for the job: a live progress bar on a terminal, at most ten lines elsewhere.
 * @returns the final job
 * @throws Error when the job does not succeed
 */
async function showJob(name: string, client: PortalClient, submitted: Job): Promise<Job> {
  let latest = submitted;
  let shown = -minStepPercent;
  const startedAt = Date.now();
  const draw = () => {
    const seconds = ((Date.now() - startedAt) / 1_000).toFixed(1);
    const percent = latest.progress?.percent ?? 0;
    const line = `${name.padEnd(18)} ${bar(percent)} ${latest.progress?.stage ?? latest.state}`;
    if (process.stdout.isTTY) process.stdout.write(`\r\u001b[K${line} ${seconds} s`);
    else if (percent >= shown + minStepPercent || (percent === 100 && shown < 100)) say(line);
    else return;
    shown = percent;
  };
  const drawing = setInterval(draw, drawIntervalMs);
  const onProgress = (job: Job) => {
    latest = job;
    draw();
  };
  const job = await client.waitForJob(submitted, { onProgress }).finally(() => clearInterval(drawing));
  onProgress(job);
  if (process.stdout.isTTY) process.stdout.write('\n');
  for (const { pointer, detail } of job.warnings) process.stdout.write(`  warning ${pointer}: ${detail}\n`);
  if (job.state === 'held') return await release(name, client, job);
  if (job.state !== 'succeeded') throw new Error(job.error?.detail ?? `the job is ${job.state}`);
  return job;
}

/** As a person does on the operations pages. */
async function release(name: string, client: PortalClient, { id, result }: Job): Promise<Job> {
  const { heldBecause = [], wouldDo } = SyncReport.partial().parse(result);
  say(`  held: ${heldBecause.join(' ')} A release would ${wouldDo}.`);
  return await showJob(
    `${name}, released`,
    client,
    await jobOf(client.api.POST('/jobs/{id}/release', { params: { path: { id } } })),
  );
}

function bar(percent: number): string {
  const full = Math.round((percent / 100) * barWidth);
  return `[${'█'.repeat(full)}${'░'.repeat(barWidth - full)}] ${String(percent).padStart(3)} %`;
}

async function main(): Promise<void> {
  await demoEnvironment();
  checkConfig([StartConfig]);
  const config = readConfig(StartConfig);
  say('Starting Portal Service: PostgreSQL, API, worker, scheduler, sandbox …');
  const logger = createLogger('demo', config);
  await rm(path.join(config.DATA_DIR, 'sandbox'), { recursive: true, force: true });
  const service = await startService(config, logger, () => process.exit(1), emptyDatabase);
  try {
    say(`The API answers at ${service.url}.`);
    await mkdir(outFolder, { recursive: true });
    const client = connect(service);
    const files: string[] = [];
    for (const design of designs) files.push(await printBrochure(client, design, config.SANDBOX_PORT));
    for (const sync of synchronisations) files.push(await synchronise(client, sync));
    say('\nDone. Files written:');
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
