/**
 * One chaos run on one queue backend: clients send requests while faults are injected. Then the service recovers, and
 * the run collects the outcome of each request.
 */
import { z } from 'zod';
import type { QueueBackend } from '../../core/jobs/queues.ts';
import { people } from '../../sandbox/kit/people.ts';
import { createRandom, type Random } from '../../sandbox/kit/random.ts';
import { type ChaosEnvironment, closeAfter, openEnvironment, type ProcessCounts } from './environment.ts';
import { type FaultTiming, startFaultInjection } from './fault-injection.ts';
import type { Leftovers } from './leftovers.ts';
import { mirrorErrors, readCrmIds } from './mirrors.ts';
import { type ObservedEffects, readEffects } from './observed-effects.ts';
import { findInvalidResults } from './pdf-results.ts';
import { planRequests, type RequestContext } from './requests.ts';
import { createRetryingClient, type RetryingClient } from './retrying-client.ts';
import { type Outcome, type SendOptions, sendAll } from './send-all.ts';
import { type JobRow, settledJobs } from './settled-jobs.ts';
import type { SupervisedProcess } from './supervisor.ts';

export interface ChaosOptions {
  backend: QueueBackend;
  onCluster?: boolean;
  jobs: number;
  /** Determines requests and faults, but not their timing. */
  seed: string;
  processes: ProcessCounts;
  send: SendOptions;
  faults: FaultTiming;
  /** Time for all jobs to finish after the last fault, in ms. */
  settleMs: number;
  log(text: string): void;
}

export interface ChaosRun {
  outcomes: readonly Outcome[];
  jobs: readonly JobRow[];
  faults: ReadonlyMap<string, number>;
  retries: number;
  before: ObservedEffects;
  after: ObservedEffects;
  mirrorErrors: string[];
  /** Succeeded PDF jobs whose file is missing or incomplete. */
  invalidResults: string[];
  pdfs: number;
  processes: readonly SupervisedProcess[];
  callbacks: { expected: number; received: number };
  leftovers: Leftovers;
  seconds: { withFaults: number; toSettle: number };
}

export async function runChaos(options: ChaosOptions): Promise<ChaosRun> {
  const { backend } = options;
  const environment = await openEnvironment(backend, options.processes, { onCluster: options.onCluster ?? false });
  return await closeAfter(environment, runWithFaults(environment, options));
}

async function runWithFaults(
  environment: ChaosEnvironment,
  options: ChaosOptions,
): Promise<Omit<ChaosRun, 'leftovers'>> {
  const { seed, log, jobs } = options;
  const random = createRandom(`chaos ${seed}`);
  const before = await readEffects(environment.sandbox);
  const crmBefore = await readCrmIds(environment.sandbox);
  const requests = planRequests(jobs, await requestContext(environment, random, before));
  const clients = createClients(environment);
  environment.receiver.answerWith('/callbacks', time => (time % 4 === 0 ? 503 : 204));

  log(`sending ${requests.length} requests, ${jobs} of them for jobs, and injecting faults`);
  const startedAt = Date.now();
  const injection = startFaultInjection(environment, createRandom(`havoc ${seed}`), options.faults);
  const sending = sendAll(requests, clients, options.send).finally(() => injection.stop());
  await injection.done;
  const recoveryAt = Date.now();
  log(`no more faults after ${seconds(recoveryAt - startedAt)} s; waiting for the jobs`);
  const outcomes = await sending;
  await Promise.all(environment.processes.map(process => process.waitUntilReady(60_000)));
  const rows = await settledJobs(environment.databaseUrl, options.settleMs);
  const toSettle = seconds(Date.now() - recoveryAt);
  return {
    ...(await observe(environment, clients, rows)),
    outcomes,
    faults: injection.counts,
    before,
    mirrorErrors: await mirrorErrors(environment.databaseUrl, crmBefore, await readCrmIds(environment.sandbox)),
    seconds: { withFaults: seconds(recoveryAt - startedAt), toSettle },
  };
}

export type Clients = readonly [RetryingClient, ...RetryingClient[]];

export function createClients({ apis, login }: ChaosEnvironment): Clients {
  const create = () => createRetryingClient(apis, login);
  return [create(), create(), create()];
}

export const requestContext = async (
  environment: ChaosEnvironment,
  random: Random,
  before: ObservedEffects,
): Promise<RequestContext> => ({
  random,
  runId: random.hex(6),
  photos: `${environment.sandboxUrl}/photos`,
  callbackUrl: environment.receiver.url('/callbacks'),
  ...(await peopleOf(environment, before)),
});

/** What a run has left in the sandbox, the results and the callbacks. */
export async function observe({ sandbox, processes, receiver }: ChaosEnvironment, clients: Clients, jobs: JobRow[]) {
  const { invalid, checked } = await findInvalidResults(jobs, clients[0]);
  return {
    jobs,
    retries: clients.reduce((sum, one) => sum + one.retries(), 0),
    after: await readEffects(sandbox),
    invalidResults: invalid,
    pdfs: checked,
    processes,
    callbacks: {
      expected: jobs.filter(({ callback }) => callback !== null).length,
      received: new Set(receiver.received('/callbacks').map(({ headers }) => headers['webhook-id'])).size,
    },
  };
}

const seconds = (ms: number): number => Math.round(ms / 1_000);

const DirectoryUser = z.object({ _id: z.string(), email: z.string(), state: z.string() });

/** The subjects of the requests. Excludes managers and employees who have left from terminations. */
async function peopleOf(environment: ChaosEnvironment, before: ObservedEffects) {
  const { latest } = await environment.sandbox.rows('directory', 'users', 1_000);
  const users = z.array(DirectoryUser).parse(latest);
  const active = new Set(users.filter(({ state }) => state === 'ACTIVATED').map(({ email }) => email));
  const managers = new Set(people().map(({ managerNumber }) => managerNumber));
  const leavers = people()
    .filter(({ number, email, leftOn }) => !managers.has(number) && !leftOn && active.has(email))
    .map(({ crmId }) => crmId);
  return {
    leadIds: [...before.leads.keys()],
    leavers,
    directoryIds: users.map(({ _id }) => _id),
  };
}

export const emailOfCrmUser = (crmId: number): string => people().find(person => person.crmId === crmId)?.email ?? '';
