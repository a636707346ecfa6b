/**
 * Whether the service stays as it is under load: an hour's worth of mixed work done as fast as the machine can, with the
 * memory of each process after each tenth, and what is open before and after. `-- soak 0.1` does a tenth of it. Linux
 * only. Exit code 1 when the memory of a process is not flat after warm-up, or something is left open.
 */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEmbeddedPostgres } from '../core/postgres/embedded/server.ts';
import { createLogger } from '../core/runtime/logger.ts';
import {
  type Footprint,
  footprint,
  type OpenThings,
  openThings,
  type Role,
  roles,
} from './support/footprint.ts';
import { startBenchService } from './support/service.ts';
import { type Amounts, openLoad } from './support/soak-load.ts';

/** What a busy hour of a large brokerage comes to. */
const hour: Amounts = {
  brochures: 600,
  synchronisations: 60,
  messages: 500,
  leads: 120,
  clicks: 20_000,
  reads: 5_000,
};
const share = Number(process.argv.at(-1)) || 1;
const tenths = 10;
/** Tenths in which caches fill, pools open and code is compiled. */
const warmUp = 4;
/** What a process may have grown by at the end, by the straight line through what it had after warm-up. */
const mayGrow = { part: 0.15, megabytes: 40 };
/** Idle connections of the pools are closed after 30 s. */
const restMs = 40_000;
/** More open files or connections than that are a leak; some come and go by themselves. */
const mayDiffer = 10;

const say = (text: string) => process.stdout.write(`${text}\n`);
const failures: string[] = [];
const demand = (holds: boolean, otherwise: string) => void (holds || failures.push(otherwise));

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
const begun = performance.now();
const samples: Footprint[] = [];
let before: OpenThings | undefined;
say(`A tenth: ${told(amounts())}. MB of ${roles.join(', ')} after each:`);
for (let tenth = 1; tenth <= tenths; tenth += 1) {
  await load.carryOut(amounts());
  if (tenth === warmUp) {
    await sleep(restMs);
    before = await openThings(postgres.url, temporary);
  }
  const taken = await atRest();
  samples.push(taken);
  const minutes = (performance.now() - begun) / 60_000;
  say(
    `  ${String(tenth).padStart(2)}: ${roles.map(role => megabytes(taken, role).padStart(6)).join(' ')}  (${minutes.toFixed(1)} min)`,
  );
}
await sleep(restMs);
const after = await openThings(postgres.url, temporary);
await load.close();
await service.stop();

for (const role of roles) judgeMemory(role);
if (before) judgeOpenThings(before, after);
await judgeWhatIsLeft();
await postgres.stop();
await rm(folder, { recursive: true, force: true, maxRetries: 5 });
for (const failure of failures) say(`NOT FLAT: ${failure}`);
say(failures.length === 0 ? 'Flat, and nothing is left behind.' : `${failures.length} things are wrong.`);
process.exitCode = failures.length === 0 ? 0 : 1;

function amounts(): Amounts {
  const part = (of: number) => Math.max(1, Math.round((of * share) / tenths));
  const { brochures, synchronisations, messages, leads, clicks, reads } = hour;
  return {
    ...{ brochures: part(brochures), synchronisations: part(synchronisations), messages: part(messages) },
    ...{ leads: part(leads), clicks: part(clicks), reads: part(reads) },
  };
}

function told(of: Amounts): string {
  return Object.entries(of)
    .map(([sort, count]) => `${count} ${sort}`)
    .join(', ');
}

function megabytes(of: Footprint, role: Role): string {
  return (of.get(role) ?? 0).toFixed(0);
}

/** The least of a few: what is held, not what waits to be collected. */
async function atRest(): Promise<Footprint> {
  const least = new Map<Role, number>();
  for (let look = 0; look < 5; look += 1) {
    await sleep(600);
    for (const [role, mb] of footprint()) least.set(role, Math.min(mb, least.get(role) ?? mb));
  }
  return least;
}

/** Least squares over the tenths after warm-up. */
function judgeMemory(role: Role): void {
  const values = samples.slice(warmUp).map(sample => sample.get(role) ?? 0);
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const products = values.reduce((sum, value, index) => sum + (index - middle) * (value - mean), 0);
  const squares = values.reduce((sum, _, index) => sum + (index - middle) ** 2, 0);
  const slope = products / squares;
  const grown = slope * (values.length - 1);
  say(
    `  ${role}: ${mean.toFixed(0)} MB, ${slope >= 0 ? '+' : ''}${slope.toFixed(1)} MB a tenth after warm-up`,
  );
  const allowed = Math.max(mean * mayGrow.part, mayGrow.megabytes);
  demand(grown <= allowed, `${role} grew by ${grown.toFixed(0)} MB (${allowed.toFixed(0)} are allowed)`);
}

function judgeOpenThings(first: OpenThings, last: OpenThings): void {
  for (const [role, files] of last.files) {
    const had = first.files.get(role) ?? 0;
    say(`  ${role}: ${had} open files after warm-up, ${files} at the end`);
    demand(files <= had + mayDiffer, `${role} has ${files} open files, and had ${had}`);
  }
  const counts = ['connections', 'browsers', 'temporary'] as const;
  for (const what of counts) say(`  ${what}: ${first[what]} after warm-up, ${last[what]} at the end`);
  demand(last.connections <= first.connections + mayDiffer, `${last.connections} connections`);
  demand(last.browsers <= first.browsers, `${last.browsers} browsers`);
  demand(last.temporary <= first.temporary, `${last.temporary} temporary files`);
}

async function judgeWhatIsLeft(): Promise<void> {
  const left = footprint();
  demand(left.size === 0, `still run: ${[...left.keys()].join(', ')}`);
  const { connections } = await openThings(postgres.url, temporary);
  demand(connections === 0, `${connections} connections are open after the end`);
  const signs = /^(portal-(worker|scheduler)-alive|tsx-.*)$/;
  const files = (await readdir(temporary)).filter(name => !signs.test(name));
  demand(files.length === 0, `temporary files after the end: ${files.join(', ')}`);
}
