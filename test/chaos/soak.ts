/**
 * A run under steady mixed load, refused requests included, without faults. It measures what the processes hold while they
 * are idle, after a warm-up and at the end: timers, listeners, handles, connections, statements, memory.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import type { QueueBackend } from '../../core/jobs/queues.ts';
import { withConnection } from '../../core/postgres/connection.ts';
import { createRandom } from '../../sandbox/kit/random.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type Clients, createClients, requestContext } from './chaos.ts';
import { type ChaosEnvironment, closeAfter, openEnvironment } from './environment.ts';
import type { Leftovers } from './leftovers.ts';
import { readEffects } from './observed-effects.ts';
import { refusingEnv, sendRefused } from './refused-requests.ts';
import { type PlannedRequest, planRounds } from './requests.ts';
import { sendAll } from './send-all.ts';
import { settledJobs } from './settled-jobs.ts';

export interface SoakOptions {
  backend: QueueBackend;
  seed: string;
  /** How long the load lasts after the warm-up; at least one round of requests is sent. */
  loadMs: number;
  /** How long transactions are counted before and after the load; 0: not. */
  idleMs: number;
  log(text: string): void;
}

/** What `test/support/resource-probe.mjs` writes. */
const Resources = z.object({
  timers: z.int(),
  listeners: z.int(),
  handles: z.int(),
  warnings: z.int(),
  megabytes: z.number(),
});
type Resources = z.infer<typeof Resources>;

export interface IdleState {
  /** Resources by the name of their process. */
  resources: ReadonlyMap<string, Resources>;
  transactionsPerMinute: number;
  connections: number;
}

export interface SoakRun {
  warm: IdleState;
  end: IdleState;
  /** Samples by process, one after each round. */
  memory: ReadonlyMap<string, { seconds: number; megabytes: number }[]>;
  answers: ReadonlyMap<string, number>;
  leftovers: Leftovers;
}

/** More than a 30-minute run has. */
const maxRounds = 2_000;
const settleMs = 180_000;

export async function runSoak(options: SoakOptions): Promise<SoakRun> {
  const probes = temporaryFolder();
  const probe = pathToFileURL(path.join(import.meta.dirname, '../support/resource-probe.mjs'));
  const environment = await openEnvironment(
    options.backend,
    { apis: 1, workers: 1, schedulers: 1 },
    // The lock of the production setting, as no worker is killed.
    { env: { ...refusingEnv, WORKER_LOCK_SECONDS: '30', PROBE_FOLDER: probes, NODE_OPTIONS: `--import ${probe}` } },
  );
  return await closeAfter(environment, loadAndMeasure(environment, probes, options));
}

async function loadAndMeasure(environment: ChaosEnvironment, probes: string, options: SoakOptions) {
  const { seed, loadMs, log } = options;
  const random = createRandom(`soak ${seed}`);
  const context = await requestContext(environment, random, await readEffects(environment.sandbox));
  const [warmUp = [], ...rounds] = planRounds(maxRounds, context);
  const clients = createClients(environment);
  const answers = new Map<string, number>();
  log('one round of requests as warm-up');
  await sendRound(environment, clients, warmUp, answers);
  const warm = await idleState(environment, probes, options);

  const memory = new Map<string, { seconds: number; megabytes: number }[]>();
  const startedAt = Date.now();
  for (const requests of rounds) {
    await sendRound(environment, clients, requests, answers);
    const seconds = Math.round((Date.now() - startedAt) / 1_000);
    const resources = await readResources(environment, probes);
    for (const [name, { megabytes }] of resources)
      memory.set(name, [...(memory.get(name) ?? []), { seconds, megabytes }]);
    log(
      `${seconds} s: ${[...resources].map(([name, { megabytes }]) => `${name} ${megabytes.toFixed(0)} MB`).join(', ')}`,
    );
    if (Date.now() - startedAt >= loadMs) break;
  }
  return { warm, end: await idleState(environment, probes, options), memory, answers };
}

/** Sends one request of each kind, and refused ones meanwhile; waits until all jobs have ended. */
async function sendRound(
  { apis: [api = ''], login, databaseUrl }: ChaosEnvironment,
  clients: Clients,
  requests: readonly PlannedRequest[],
  answers: Map<string, number>,
): Promise<void> {
  const count = (what: string, number = 1) => answers.set(what, (answers.get(what) ?? 0) + number);
  const outcomes = await sendAll(requests, clients, { concurrency: 6, pauseMs: 50, timeoutMs: 60_000 });
  for (const { response } of outcomes) count(`${response?.status ?? 'no response'} for a planned request`);
  const jobId = outcomes.find(outcome => outcome.jobId !== undefined)?.jobId ?? '';
  for (const [what, number] of await sendRefused(api, login, jobId)) count(what, number);
  await settledJobs(databaseUrl, settleMs);
}

/** PostgreSQL adds the transactions of a session to its statistics after at most 10 s; connections to others close sooner. */
const quietMs = 12_000;
const closeMs = 4_000;

async function idleState(
  environment: ChaosEnvironment,
  probes: string,
  { idleMs, log }: SoakOptions,
): Promise<IdleState> {
  await sleep(idleMs > 0 ? quietMs : closeMs);
  return await withConnection({ connectionString: environment.databaseUrl }, async client => {
    const query = `select (select xact_commit + xact_rollback from pg_stat_database where datname = current_database())::int as count,
      (select count(*) from pg_stat_activity where backend_type = 'client backend')::int as connections`;
    const Row = z.object({ count: z.int(), connections: z.int() });
    const read = async () => Row.parse((await client.query(query)).rows[0]);
    const first = await read();
    await sleep(idleMs);
    const last = await read();
    const resources = await readResources(environment, probes);
    const perMinute = Math.round(((last.count - first.count) * 60_000) / idleMs);
    const transactionsPerMinute = idleMs > 0 ? perMinute : 0;
    log(`idle: ${transactionsPerMinute} transactions a minute, ${last.connections} connections`);
    for (const [name, one] of resources) log(`  ${name}: ${JSON.stringify(one)}`);
    return { resources, transactionsPerMinute, connections: last.connections };
  });
}

async function readResources({ processes }: ChaosEnvironment, probes: string): Promise<Map<string, Resources>> {
  const found = processes.map(async ({ name, currentRun }) => {
    const text = await readFile(path.join(probes, `${currentRun()?.pid}.json`), 'utf8');
    return [name, Resources.parse(JSON.parse(text))] as const;
  });
  return new Map(await Promise.all(found));
}
