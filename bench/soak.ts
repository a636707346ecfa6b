/**
 * Soak test: runs an hour's worth of mixed load as fast as possible; prints the memory of each process after each tenth,
 * and open resources before and after. `-- soak 0.1` runs a tenth of the load. Linux only. Exit code 1 when the memory
 * of a process grows after warm-up or a resource is leaked.
 */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEmbeddedPostgres } from '../core/postgres/embedded/server.ts';
import { createLogger } from '../core/telemetry/logger.ts';
import { type Footprint, footprint, type OpenResources, openResources, type Role, roles } from './support/footprint.ts';
import { startBenchService } from './support/service.ts';
import { type LoadCounts, openLoad } from './support/soak-load.ts';

/** A busy hour of a large brokerage. */
const hour: LoadCounts = {
  brochures: 600,
  synchronisations: 60,
  messages: 500,
  leads: 120,
  clicks: 20_000,
  reads: 5_000,
};
const share = Number(process.argv.at(-1)) || 1;
const tenths = 10;
/** Tenths of warm-up: caches fill, pools open, code is compiled. */
const warmUpTenths = 4;
/** Maximum growth after warm-up, by linear regression; the larger one applies. */
const maxGrowth = { share: 0.15, megabytes: 40 };
/** Connection pools close idle connections after 30 s. */
const idleMs = 40_000;
/** Files and connections vary by some; a larger increase is a leak. */
const leakTolerance = 10;

const print = (text: string) => process.stdout.write(`${text}\n`);
const failures: string[] = [];
const check = (passed: boolean, failure: string) => void (passed || failures.push(failure));

const folder = await mkdtemp(path.join(os.tmpdir(), 'portal-soak-'));
const temporary = await mkdtemp(path.join(folder, 'tmp-'));
const logger = createLogger('soak', { NODE_ENV: 'production', LOG_LEVEL: 'fatal' });
const postgres = await startEmbeddedPostgres({ dataDir: path.join(folder, 'database'), logger });
const service = await startBenchService({
  DATABASE_URL: postgres.url,
  TMPDIR: temporary,
  MAX_WAIT_SECONDS: '600',
  SCHEDULES_OFF: 'all',
  REQUESTS_PER_MINUTE: '10000000',
  SMS_PARTS_PER_CLIENT_DAY: '1000000',
  CRM_REQUESTS_PER_SECOND: '50',
  CRM_REQUEST_BURST: '1000',
  LISTING_PORTAL_CALLS_PER_MINUTE: '100000',
  EVENTS_CALLS_PER_HOUR: '1000000',
});
await fetch(`http://127.0.0.1:${service.sandboxPort}/control/crm/settings`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ callLimit: false, operatingLimitSeconds: 0 }),
});

const load = await openLoad(service);
const startedAt = performance.now();
const samples: Footprint[] = [];
let before: OpenResources | undefined;
print(`Each tenth: ${describeCounts(countsPerTenth())}. MB of ${roles.join(', ')} after each:`);
for (let tenth = 1; tenth <= tenths; tenth += 1) {
  await load.run(countsPerTenth());
  if (tenth === warmUpTenths) {
    await sleep(idleMs);
    before = await openResources(postgres.url, temporary);
  }
  const sample = await idleFootprint();
  samples.push(sample);
  const minutes = (performance.now() - startedAt) / 60_000;
  print(
    `  ${String(tenth).padStart(2)}: ${roles.map(role => megabytes(sample, role).padStart(6)).join(' ')}  (${minutes.toFixed(1)} min)`,
  );
}
await sleep(idleMs);
const after = await openResources(postgres.url, temporary);
await load.close();
await service.stop();

for (const role of roles) checkMemory(role);
if (before) checkOpenResources(before, after);
await checkLeftovers();
await postgres.stop();
await rm(folder, { recursive: true, force: true, maxRetries: 5 });
for (const failure of failures) print(`FAILED: ${failure}`);
print(failures.length === 0 ? 'Memory is flat, and no resource is leaked.' : `${failures.length} checks failed.`);
process.exitCode = failures.length === 0 ? 0 : 1;

function countsPerTenth(): LoadCounts {
  const part = (count: number) => Math.max(1, Math.round((count * share) / tenths));
  const { brochures, synchronisations, messages, leads, clicks, reads } = hour;
  return {
    ...{ brochures: part(brochures), synchronisations: part(synchronisations), messages: part(messages) },
    ...{ leads: part(leads), clicks: part(clicks), reads: part(reads) },
  };
}

function describeCounts(counts: LoadCounts): string {
  return Object.entries(counts)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(', ');
}

function megabytes(sample: Footprint, role: Role): string {
  return (sample.get(role) ?? 0).toFixed(0);
}

/** The minimum of five samples, which excludes garbage that is not collected yet. */
async function idleFootprint(): Promise<Footprint> {
  const minimum = new Map<Role, number>();
  for (let count = 0; count < 5; count += 1) {
    await sleep(600);
    for (const [role, mb] of footprint()) minimum.set(role, Math.min(mb, minimum.get(role) ?? mb));
  }
  return minimum;
}

/** Linear regression over the tenths after warm-up. */
function checkMemory(role: Role): void {
  const values = samples.slice(warmUpTenths).map(sample => sample.get(role) ?? 0);
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const products = values.reduce((sum, value, index) => sum + (index - middle) * (value - mean), 0);
  const squares = values.reduce((sum, _, index) => sum + (index - middle) ** 2, 0);
  const slope = products / squares;
  const grown = slope * (values.length - 1);
  print(`  ${role}: ${mean.toFixed(0)} MB, ${slope >= 0 ? '+' : ''}${slope.toFixed(1)} MB per tenth after warm-up`);
  const allowed = Math.max(mean * maxGrowth.share, maxGrowth.megabytes);
  check(grown <= allowed, `${role} grew by ${grown.toFixed(0)} MB; the limit is ${allowed.toFixed(0)} MB`);
}

function checkOpenResources(first: OpenResources, last: OpenResources): void {
  for (const [role, files] of last.files) {
    const before = first.files.get(role) ?? 0;
    print(`  ${role}: ${before} open files after warm-up, ${files} at the end`);
    check(files <= before + leakTolerance, `${role} has ${files} open files; it had ${before} after warm-up`);
  }
  const counts = ['connections', 'browsers', 'temporary'] as const;
  for (const what of counts) print(`  ${what}: ${first[what]} after warm-up, ${last[what]} at the end`);
  check(last.connections <= first.connections + leakTolerance, `${last.connections} connections`);
  check(last.browsers <= first.browsers, `${last.browsers} browsers`);
  check(last.temporary <= first.temporary, `${last.temporary} temporary files`);
}

async function checkLeftovers(): Promise<void> {
  const left = footprint();
  check(left.size === 0, `processes still running after the stop: ${[...left.keys()].join(', ')}`);
  const { connections } = await openResources(postgres.url, temporary);
  check(connections === 0, `${connections} database connections still open after the stop`);
  const files = (await readdir(temporary)).filter(name => !name.startsWith('tsx-'));
  check(files.length === 0, `temporary files left after the stop: ${files.join(', ')}`);
}
