/** Sends the requests of a run with bounded concurrency and collects their outcomes. */
import { setTimeout as sleep } from 'node:timers/promises';
import { jobIdIn, type PlannedRequest } from './requests.ts';
import type { ApiResponse, RetryingClient } from './retrying-client.ts';

export interface Outcome {
  request: PlannedRequest;
  response: ApiResponse | undefined;
  jobId: string | undefined;
  /** The response was an existing job (`Portal-Existing-Job`). */
  wasExisting: boolean;
  /** Jobs returned for the same idempotency key; more than one violates a rule. */
  jobIds: Set<string>;
}

export interface SendOptions {
  concurrency: number;
  /** After each request of a slot. */
  pauseMs: number;
  /** For one request with its retries. */
  timeoutMs: number;
}

export async function sendAll(
  requests: readonly PlannedRequest[],
  clients: readonly RetryingClient[],
  options: SendOptions,
): Promise<Outcome[]> {
  const queue = requests.values();
  const outcomes: Outcome[] = [];
  const slot = async (): Promise<void> => {
    for (const request of queue) {
      const client = clients[request.client % clients.length];
      if (client) outcomes.push(await sendOne(request, client, options));
      await sleep(options.pauseMs);
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, slot));
  return outcomes;
}

/** Sends one request after the other, whether or not the earlier ones are answered. */
export function sendPaced(
  requests: readonly PlannedRequest[],
  clients: readonly RetryingClient[],
  { everyMs, timeoutMs }: { everyMs: number; timeoutMs: number },
): Promise<Outcome[]> {
  return Promise.all(
    requests.map(async (request, index) => {
      await sleep(index * everyMs);
      const client = clients[request.client % clients.length];
      if (!client) throw new Error('there is no client');
      return await sendOne(request, client, { timeoutMs });
    }),
  );
}

async function sendOne(
  request: PlannedRequest,
  client: RetryingClient,
  { timeoutMs }: Pick<SendOptions, 'timeoutMs'>,
): Promise<Outcome> {
  const send = () => client.send(request, timeoutMs);
  const responses = request.repeat === 'at-once' ? await Promise.all([send(), send()]) : [await send()];
  if (request.repeat === 'after') responses.push(await send());
  const successes = responses.flatMap(one => (one && one.status < 300 ? [one] : []));
  const response = successes[0] ?? responses.find(one => one !== undefined);
  const jobIds = new Set(request.startsJob ? successes.flatMap(({ body }) => jobIdIn(body) ?? []) : []);
  const [jobId] = jobIds;
  return {
    request,
    response,
    jobId,
    jobIds,
    wasExisting: response?.headers.has('portal-existing-job') ?? false,
  };
}
