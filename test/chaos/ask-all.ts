/** Sends the orders of a run as several clients would, a few at a time, and keeps what came of each. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answered, GoodClient } from './good-client.ts';
import { idOf, type Order } from './orders.ts';

export interface Outcome {
  order: Order;
  answer: Answered | undefined;
  /** The job's id, when one was answered. */
  jobId: string | undefined;
  /** The job was at work before, for this client or another. */
  wasThere: boolean;
  /** Ids of jobs that were answered under the same key; more than one is a fault. */
  jobIds: Set<string>;
}

export interface Pace {
  /** Requests under way at once. */
  lanes: number;
  /** Pause of a lane between two requests, in ms. */
  pauseMs: number;
  /** How long a client goes on with one request, in ms. */
  patienceMs: number;
}

export async function askAll(
  orders: readonly Order[],
  clients: readonly GoodClient[],
  pace: Pace,
): Promise<Outcome[]> {
  const queue = orders.values();
  const outcomes: Outcome[] = [];
  const lane = async (): Promise<void> => {
    for (const order of queue) {
      const client = clients[order.client % clients.length];
      if (client) outcomes.push(await askOne(order, client, pace));
      await sleep(pace.pauseMs);
    }
  };
  await Promise.all(Array.from({ length: pace.lanes }, lane));
  return outcomes;
}

async function askOne(order: Order, client: GoodClient, { patienceMs }: Pace): Promise<Outcome> {
  const ask = () => client.ask(order, patienceMs);
  const answers = order.repeat === 'at-once' ? await Promise.all([ask(), ask()]) : [await ask()];
  if (order.repeat === 'after') answers.push(await ask());
  const good = answers.flatMap(answer => (answer && answer.status < 300 ? [answer] : []));
  const answer = good[0] ?? answers.find(one => one !== undefined);
  const jobIds = new Set(order.startsJob ? good.flatMap(({ body }) => idOf(body) ?? []) : []);
  const [jobId] = jobIds;
  return { order, answer, jobId, jobIds, wasThere: answer?.headers.has('portal-existing-job') ?? false };
}
