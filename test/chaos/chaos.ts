/**
 * One chaos run on one queue backend: clients ask for jobs and effects while everything that can break is broken, then
 * the service is left alone, and it is looked at what became of each request.
 */

import { z } from 'zod';
import type { QueueBackend } from '../../core/jobs/queues.ts';
import { people } from '../../sandbox/kit/people.ts';
import { createRandom } from '../../sandbox/kit/random.ts';
import { askAll, type Outcome, type Pace } from './ask-all.ts';
import { faultsOfCopies, readCrmLists } from './copies.ts';
import { type EffectsDone, readEffects } from './effects-done.ts';
import { openGoodClient } from './good-client.ts';
import { startHavoc, type Tempo } from './havoc.ts';
import { type JobRow, settledJobs } from './jobs-settled.ts';
import type { LeftBehind } from './left-behind.ts';
import { makeOrders } from './orders.ts';
import { badResults } from './pdf-results.ts';
import { type Crew, openStage, type Stage } from './stage.ts';
import type { Supervised } from './supervised.ts';

export interface ChaosOptions {
  backend: QueueBackend;
  jobs: number;
  /** The same seed asks for the same and breaks the same; what meets what is up to the machine. */
  seed: string;
  crew: Crew;
  pace: Pace;
  tempo: Tempo;
  /** How long all jobs may take to come to rest once nothing breaks any more, in ms. */
  settleMs: number;
  say(text: string): void;
}

export interface ChaosRun {
  outcomes: readonly Outcome[];
  jobs: readonly JobRow[];
  havoc: ReadonlyMap<string, number>;
  retries: number;
  before: EffectsDone;
  after: EffectsDone;
  copyFaults: string[];
  /** Succeeded PDF jobs whose file is not there or not whole. */
  badResults: string[];
  pdfs: number;
  processes: readonly Supervised[];
  callbacks: { promised: number; received: number };
  left: LeftBehind;
  seconds: { underHavoc: number; toSettle: number };
}

export async function runChaos(options: ChaosOptions): Promise<ChaosRun> {
  const { backend, say } = options;
  const stage = await openStage(backend, options.crew);
  let run: Omit<ChaosRun, 'left'>;
  try {
    run = await throughHavoc(stage, options);
  } catch (error) {
    await stage.close();
    throw error;
  }
  say('stopping');
  return { ...run, left: await stage.close() };
}

async function throughHavoc(stage: Stage, options: ChaosOptions): Promise<Omit<ChaosRun, 'left'>> {
  const { seed, say, pace, jobs } = options;
  const random = createRandom(`chaos ${seed}`);
  const before = await readEffects(stage.sandbox);
  const crmBefore = await readCrmLists(stage.sandbox);
  const orders = makeOrders(jobs, {
    random,
    run: random.hex(6),
    photos: `${stage.sandboxUrl}/photos`,
    callbackUrl: stage.receiver.url('/told'),
    ...(await peopleOf(stage, before)),
  });
  const clients = [0, 1, 2].map(() => openGoodClient(stage.apis, stage.login));
  stage.receiver.answerWith('/told', time => (time % 4 === 0 ? 503 : 204));

  say(`${orders.length} requests, ${jobs} of them for jobs; everything breaks`);
  const begun = Date.now();
  const havoc = startHavoc(stage, createRandom(`havoc ${seed}`), options.tempo);
  const asking = askAll(orders, clients, pace).finally(() => havoc.enough());
  await havoc.over;
  const calm = Date.now();
  say(`havoc is over after ${seconds(calm - begun)} s; the service is left alone`);
  const outcomes = await asking;
  await Promise.all(stage.processes.map(process => process.ready(60_000)));
  const rows = await settledJobs(stage.databaseUrl, options.settleMs);
  const toSettle = seconds(Date.now() - calm);
  const [client = openGoodClient(stage.apis, stage.login)] = clients;
  const { bad, looked } = await badResults(rows, client);

  return {
    outcomes,
    jobs: rows,
    havoc: havoc.counts,
    retries: clients.reduce((sum, one) => sum + one.retries(), 0),
    before,
    after: await readEffects(stage.sandbox),
    copyFaults: await faultsOfCopies(stage.databaseUrl, crmBefore, await readCrmLists(stage.sandbox)),
    badResults: bad,
    pdfs: looked,
    processes: stage.processes,
    callbacks: {
      promised: rows.filter(({ callback }) => callback !== null).length,
      received: new Set(stage.receiver.received('/told').map(({ headers }) => headers['webhook-id'])).size,
    },
    seconds: { underHavoc: seconds(calm - begun), toSettle },
  };
}

const seconds = (ms: number): number => Math.round(ms / 1_000);

const DirectoryUser = z.object({ _id: z.string(), email: z.string(), state: z.string() });

/** Whom the orders are about. Heads of departments and whoever left are let be. */
async function peopleOf(stage: Stage, before: EffectsDone) {
  const { latest } = await stage.sandbox.rows('directory', 'users', 1_000);
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

export const emailOfCrmUser = (crmId: number): string =>
  people().find(person => person.crmId === crmId)?.email ?? '';
