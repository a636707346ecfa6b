/**
 * A run in which the stores and clocks work badly instead of failing: PostgreSQL read-only, out of connections and slow,
 * Redis full, and the clock of some processes wrong. In turn, each lasts for some time while requests of every kind arrive.
 */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pg from 'pg';
import type { QueueBackend } from '../../core/jobs/queues.ts';
import { createRandom } from '../../sandbox/kit/random.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type ChaosRun, createClients, observe, requestContext } from './chaos.ts';
import { type ChaosEnvironment, closeAfter, openEnvironment } from './environment.ts';
import { mirrorErrors, readCrmIds } from './mirrors.ts';
import { readEffects } from './observed-effects.ts';
import { planRounds } from './requests.ts';
import { type Outcome, sendPaced } from './send-all.ts';
import { settledJobs } from './settled-jobs.ts';

export const degradations = [
  'read-only',
  'no-connections',
  'slow',
  'redis-full',
  'clock-ahead',
  'clock-behind',
] as const;
type Degradation = (typeof degradations)[number];

export interface DegradedOptions {
  backend: QueueBackend;
  seed: string;
  kinds: readonly Degradation[];
  /** How long each degradation lasts. */
  lastMs: number;
  /** The time for all jobs to finish after each degradation. */
  recoveryMs: number;
  log(text: string): void;
}

/** The library of Debian's package `faketime` reads from a file by how much the clock of a process is wrong. */
const faketime = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1';
const hasFaketime = existsSync(faketime);
const clockSteps: Partial<Record<Degradation, string>> = { 'clock-ahead': '+600', 'clock-behind': '-600' };
/** Each chunk from PostgreSQL is late by this. */
const slowMs = 150;
/** Fewer than the processes keep open. */
const connectionLimit = 8;

/** @returns what can be done on this machine with this backend */
export const possible = (kinds: readonly Degradation[], backend: QueueBackend): Degradation[] =>
  kinds.filter(kind => (kind === 'redis-full' ? backend === 'redis' : hasFaketime || clockSteps[kind] === undefined));

export async function runDegraded(options: DegradedOptions): Promise<ChaosRun> {
  const clock = path.join(temporaryFolder(), 'clock');
  await writeFile(clock, '+0');
  const wrongClock = {
    LD_PRELOAD: faketime,
    FAKETIME_TIMESTAMP_FILE: clock,
    FAKETIME_CACHE_DURATION: '1',
    // A step of the clock does not change it.
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    DONT_FAKE_MONOTONIC: '1',
  };
  const environment = await openEnvironment(
    options.backend,
    { apis: 2, workers: 2, schedulers: 2 },
    {
      env: { WORKER_LOCK_SECONDS: '10' },
      envOfFirst: hasFaketime ? wrongClock : {},
      hasDatabaseProxy: true,
    },
  );
  return await closeAfter(environment, degradeAndRecover(environment, clock, options));
}

async function degradeAndRecover(environment: ChaosEnvironment, clock: string, options: DegradedOptions) {
  const { seed, kinds, lastMs, recoveryMs, log } = options;
  const random = createRandom(`degraded ${seed}`);
  const before = await readEffects(environment.sandbox);
  const planned = planRounds(kinds.length, await requestContext(environment, random, before));
  const clients = createClients(environment);
  const outcomes: Outcome[] = [];
  const startedAt = Date.now();
  for (const [index, kind] of kinds.entries()) {
    const requests = planned[index] ?? [];
    const sending = sendPaced(requests, clients, {
      everyMs: lastMs / requests.length,
      timeoutMs: lastMs + recoveryMs,
    });
    log(`${kind} for ${lastMs / 1_000} s`);
    const recover = await degrade(kind, environment, clock);
    await sleep(lastMs);
    await recover();
    const recoveredAt = Date.now();
    const answered = await sending;
    outcomes.push(...answered);
    await settledJobs(environment.databaseUrl, recoveryMs);
    const seconds = Math.round((Date.now() - recoveredAt) / 1_000);
    log(`${kind}: ${answered.length} requests, all jobs finished ${seconds} s after it`);
  }
  const rows = await settledJobs(environment.databaseUrl, recoveryMs);
  const crmIds = await readCrmIds(environment.sandbox);
  const run: Omit<ChaosRun, 'leftovers'> = {
    ...(await observe(environment, clients, rows)),
    outcomes,
    faults: new Map(kinds.map(kind => [kind, 1])),
    before,
    mirrorErrors: await mirrorErrors(environment.databaseUrl, crmIds, crmIds),
    seconds: { withFaults: Math.round((Date.now() - startedAt) / 1_000), toSettle: 0 },
  };
  return run;
}

/** @returns ends it */
async function degrade(
  kind: Degradation,
  environment: ChaosEnvironment,
  clock: string,
): Promise<() => Promise<unknown>> {
  const step = clockSteps[kind];
  if (step !== undefined) {
    await writeFile(clock, step);
    return () => writeFile(clock, '+0');
  }
  if (kind === 'slow') {
    environment.databaseProxy?.slow(slowMs);
    return async () => environment.databaseProxy?.slow(0);
  }
  if (kind === 'redis-full') return await fillRedis(environment.redisUrl);
  const [on, off] =
    kind === 'read-only'
      ? ['set default_transaction_read_only = on', 'reset default_transaction_read_only']
      : [`connection limit ${connectionLimit}`, 'connection limit -1'];
  return await alterDatabase(environment.databaseUrl, on, off);
}

/** Existing sessions are ended once; those of a read-only database stay read-only until the service closes them. */
async function alterDatabase(url: string, on: string, off: string): Promise<() => Promise<unknown>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const name = client.escapeIdentifier(new URL(url).pathname.slice(1));
  await client.query(`alter database ${name} ${on}`);
  await client.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and usename = current_user and pid <> pg_backend_pid()',
  );
  return async () => {
    await client.query(`alter database ${name} ${off}`);
    await client.end();
  };
}

async function fillRedis(url: string | undefined): Promise<() => Promise<unknown>> {
  if (url === undefined) throw new Error('redis-full needs queues in Redis');
  const client = new Redis(url);
  await client.config('SET', 'maxmemory', '1');
  return async () => {
    await client.config('SET', 'maxmemory', '0');
    client.disconnect();
  };
}
