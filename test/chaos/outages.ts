/**
 * A run with outages of vendor systems: in turn, each group of systems is down while jobs of every kind run. After each
 * outage the run waits until all jobs have finished, and measures how long this takes.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { QueueBackend } from '../../core/jobs/queues.ts';
import { withConnection } from '../../core/postgres/connection.ts';
import { setChatBotDown } from '../../sandbox/chat-bot/database.ts';
import { createRandom } from '../../sandbox/kit/random.ts';
import { type ChaosRun, type Clients, createClients, observe, requestContext } from './chaos.ts';
import { type Deletion, deleteAndRestore } from './deletions.ts';
import { type ChaosEnvironment, closeAfter, openEnvironment, type ProcessCounts } from './environment.ts';
import { mirrorErrors, readCrmIds } from './mirrors.ts';
import { readEffects } from './observed-effects.ts';
import { releasedJob } from './released-job.ts';
import { type PlannedRequest, planRounds } from './requests.ts';
import type { RetryingClient } from './retrying-client.ts';
import { type Outcome, sendPaced } from './send-all.ts';
import { type JobRow, settledJobs } from './settled-jobs.ts';
import type { FailureKind } from './vendor-proxy.ts';

export const vendorSystems = [
  'crm',
  'listing-portal',
  'directory',
  'employee-records',
  'events',
  'telephony',
  'activity-log',
  'property-projects',
  'chat-bot',
] as const;
export type VendorSystem = (typeof vendorSystems)[number];

export interface OutageOptions {
  backend: QueueBackend;
  seed: string;
  processes: ProcessCounts;
  /** Systems that are down together. */
  groups: readonly (readonly VendorSystem[])[];
  outageMs: number;
  /** Lengthens each outage until a job waits for the system; at most by `recoveryMs`. */
  untilJobWaits: boolean;
  /** Requests of each kind during an outage. */
  rounds: number;
  /** Whether all employees are deleted and restored in the last outage only, instead of in each round. */
  deletesOnce: boolean;
  failures: readonly FailureKind[];
  /** Time for all jobs to finish after an outage. */
  recoveryMs: number;
  log(text: string): void;
}

export interface Outage {
  systems: readonly VendorSystem[];
  requests: number;
  jobs: number;
  failedCalls: number;
  /** Jobs that waited for a system without using an attempt. */
  waited: number;
  /** Jobs that used more than one attempt. */
  retried: number;
  /** Until all jobs had finished. */
  recoverySeconds: number;
}

export interface OutageRun extends ChaosRun {
  outages: Outage[];
  /** Deletions of all employees, each followed by a restore. */
  deletions: Deletion[];
  /** Mails about held runs, by the link to the job. */
  notifications: string[];
  /** Changes that a repeated run would still make. */
  unfinishedWork: string[];
}

export async function runOutages(options: OutageOptions): Promise<OutageRun> {
  const environment = await openEnvironment(options.backend, options.processes, { failures: options.failures });
  return await closeAfter(environment, runAll(environment, options));
}

async function runAll(environment: ChaosEnvironment, options: OutageOptions): Promise<Omit<OutageRun, 'leftovers'>> {
  const { seed, groups, rounds, deletesOnce, log } = options;
  const startedAt = Date.now();
  const random = createRandom(`outages ${seed}`);
  const before = await readEffects(environment.sandbox);
  const planned = planRounds(groups.length * rounds, await requestContext(environment, random, before));
  const clients = createClients(environment);
  const outages: Outage[] = [];
  const outcomes: Outcome[] = [];
  const deleted: Deletion[] = [];
  for (const [index, systems] of groups.entries()) {
    const requests = planned.slice(index * rounds, (index + 1) * rounds).flat();
    const deletions = deletesOnce && index < groups.length - 1 ? 0 : rounds;
    const plan = { systems, requests, deletions, clients };
    const { outage, answered, deleted: done } = await runOutage(environment, options, plan);
    outages.push(outage);
    outcomes.push(...answered);
    deleted.push(...done);
    log(describeOutage(outage));
  }
  const recoveredAt = Date.now();
  const rows = await settledJobs(environment.databaseUrl, options.recoveryMs);
  const unfinishedWork = await workLeft(environment, clients[0], rows, options.recoveryMs);
  const crmIds = await readCrmIds(environment.sandbox);
  return {
    ...(await observe(environment, clients, rows)),
    outcomes,
    outages,
    deletions: deleted,
    notifications: environment.mails.mails
      .filter(({ subject }) => subject.endsWith('run is held'))
      .map(({ text }) => /\/ops\/jobs\/\S+/.exec(text)?.[0] ?? ''),
    unfinishedWork,
    faults: new Map(groups.map(systems => [`${systems.join(' and ')} down`, 1])),
    before,
    mirrorErrors: await mirrorErrors(environment.databaseUrl, crmIds, crmIds),
    seconds: { withFaults: secondsSince(startedAt, recoveredAt), toSettle: secondsSince(recoveredAt) },
  };
}

interface OutagePlan {
  systems: readonly VendorSystem[];
  requests: readonly PlannedRequest[];
  /** Deletions of all employees with their restores. */
  deletions: number;
  clients: Clients;
}

/** Sends the first requests before the outage, so that it interrupts running jobs. */
async function runOutage(
  environment: ChaosEnvironment,
  { outageMs, untilJobWaits, recoveryMs, log }: OutageOptions,
  { systems, requests, deletions, clients }: OutagePlan,
): Promise<{ outage: Outage; answered: Outcome[]; deleted: Deletion[] }> {
  const everyMs = (0.9 * outageMs) / requests.length;
  const sending = sendPaced(requests, clients, { everyMs, timeoutMs: outageMs + recoveryMs });
  const deleting = repeatDeletions(environment, clients[0], { times: deletions, timeoutMs: outageMs + recoveryMs });
  await sleep(0.1 * outageMs);
  log(`${systems.join(' and ')} down for ${outageMs / 1_000} s`);
  await Promise.all(systems.map(system => setDown(environment, system, true)));
  const downAt = new Date();
  await sleep(outageMs);
  const until = Date.now() + recoveryMs;
  if (untilJobWaits) await waitedJobs(environment.databaseUrl, downAt, until);
  await Promise.all(systems.map(system => setDown(environment, system, false)));
  const upAt = Date.now();
  const [answered, deleted] = await Promise.all([sending, deleting]);
  const ids = [...answered.flatMap(({ jobId }) => jobId ?? []), ...deleted.flatMap(({ jobIds }) => jobIds)];
  const rows = await settledJobs(environment.databaseUrl, recoveryMs);
  const recoverySeconds = secondsSince(upAt);
  const ours = rows.filter(({ id }) => ids.includes(id));
  return {
    answered,
    deleted,
    outage: {
      systems,
      requests: requests.length + deleted.flatMap(({ jobIds }) => jobIds).length,
      jobs: ours.length,
      failedCalls: systems.reduce((sum, system) => sum + (environment.proxy?.failedCalls(system) ?? 0), 0),
      waited: await waitedJobs(environment.databaseUrl, downAt),
      retried: ours.filter(({ attemptsMade }) => attemptsMade > 1).length,
      recoverySeconds,
    },
  };
}

/** One after the other, because only one job on all employees runs at a time. */
async function repeatDeletions(
  { databaseUrl }: ChaosEnvironment,
  client: RetryingClient,
  { times, timeoutMs }: { times: number; timeoutMs: number },
): Promise<Deletion[]> {
  const deletions: Deletion[] = [];
  while (deletions.length < times) deletions.push(await deleteAndRestore(client, databaseUrl, timeoutMs));
  return deletions;
}

async function setDown({ proxy, databaseUrl }: ChaosEnvironment, system: VendorSystem, isDown: boolean): Promise<void> {
  if (system === 'chat-bot') await setChatBotDown(databaseUrl, isDown);
  else if (isDown) proxy?.down(system);
  else proxy?.up(system);
}

/** @param until with a time, waits for the first such job until then */
async function waitedJobs(databaseUrl: string, since: Date, until = 0): Promise<number> {
  return await withConnection({ connectionString: databaseUrl }, async client => {
    for (;;) {
      const { rowCount } = await client.query(
        `select distinct job_id from job_event
          where at >= $1 and data->'error'->>'type' like '%:waiting-for-system'`,
        [since],
      );
      if (rowCount || Date.now() >= until) return rowCount ?? 0;
      await sleep(100);
    }
  });
}

const Counts = z.object({ created: z.int(), updated: z.int() });
const Synced = z.object({ what: z.literal('sync'), city: z.string().nullable(), dryRun: z.literal(false) });

/** Reads the CRM's lists and the employees completely, and plans again what jobs have reported as done. */
async function workLeft(
  { databaseUrl }: ChaosEnvironment,
  client: RetryingClient,
  rows: readonly JobRow[],
  timeoutMs: number,
): Promise<string[]> {
  const post = (path: string, body: object) => ({ method: 'POST', path, body }) as const;
  const cities = rows.flatMap(({ state, result }) => {
    const { data } = Synced.safeParse(result);
    return state === 'succeeded' && data ? [data.city] : [];
  });
  const repeats = [
    ...[...new Set(cities)].map(city =>
      post('/apps/crm/v1/locations/sync', { dryRun: true, scope: city === null ? {} : { city } }),
    ),
    post('/apps/events/v1/orders/process', { dryRun: true }),
    post('/apps/employees/v1/employees/sync', { dryRun: true }),
  ];
  const reads = [
    { method: 'GET', path: '/apps/crm/v1/deals/acquire?full=true' } as const,
    post('/apps/crm/v1/locations/acquire', { full: true }),
    post('/apps/employees/v1/employees/sync', {}),
  ];
  const left: string[] = [];
  for (const request of [...reads, ...repeats]) {
    // The first resync of the employees is held.
    const row = await releasedJob(client, databaseUrl, request, timeoutMs);
    const what = `${request.path} ${JSON.stringify('body' in request ? request.body : {})}`;
    if (row?.state !== 'succeeded') left.push(`${what}: ${row?.state ?? 'not accepted'}`);
    if ('body' in request && 'dryRun' in request.body) {
      const { created, updated } = Counts.parse(row?.result);
      if (created + updated > 0) left.push(`${what}: ${created} to create, ${updated} to update`);
    }
  }
  return left;
}

const secondsSince = (from: number, to = Date.now()): number => Math.round((to - from) / 1_000);

export const describeOutage = ({ systems, ...outage }: Outage): string =>
  `${systems.join(' and ')}: ${outage.requests} requests, ${outage.jobs} jobs, ${outage.failedCalls} failed calls, ` +
  `${outage.waited} jobs waited, ${outage.retried} used further attempts, all finished ${outage.recoverySeconds} s after it`;
