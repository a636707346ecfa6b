/** The load of the soak test: the requests of a busy brokerage, with some of each kind in parallel. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { z } from 'zod';
import { listingsFor } from './listings.ts';
import { itemsPerSecond } from './measure.ts';
import type { BenchService } from './service.ts';

export type LoadKind = 'brochures' | 'synchronisations' | 'messages' | 'leads' | 'clicks' | 'reads';
/** Number of requests by kind. */
export type LoadCounts = Readonly<Record<LoadKind, number>>;

/** Concurrent requests by kind. */
const concurrency: LoadCounts = {
  brochures: 3,
  synchronisations: 1,
  messages: 2,
  leads: 1,
  clicks: 8,
  reads: 4,
};

const Job = z.object({ id: z.string(), state: z.string(), error: z.unknown() });
const Link = z.object({ slug: z.string() });

const synchronisations: readonly [method: string, path: string, body?: object][] = [
  ['GET', '/apps/crm/v1/deals/acquire'],
  ['POST', '/apps/events/v1/orders/process', {}],
  ['POST', '/apps/crm/v1/locations/sync', { scope: { city: 'Ajman' } }],
  ['POST', '/apps/employees/v1/employees/sync', { dryRun: true }],
  ['POST', '/apps/crm/v1/locations/acquire', {}],
  ['POST', '/apps/portal/v1/leads/enrich', { id: 1003 }],
];

const reads = [
  '/jobs?limit=20',
  '/health/ready',
  '/apps/portal/v1/locations?search=marina',
  '/apps/crm/v1/deals/summary',
  '/apps/employees/v1/employees?limit=50',
];

const browser =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36';

export interface Load {
  /** @throws Error when a request fails */
  run(counts: LoadCounts): Promise<void>;
  close(): Promise<void>;
}

const linkCount = 200;

export async function openLoad(service: BenchService): Promise<Load> {
  const agent = new Agent({ connections: 32 });
  const work = requestsOf(service, agent, await createLinks(service));
  return {
    async run(counts) {
      const kinds: LoadKind[] = ['brochures', 'synchronisations', 'messages', 'leads', 'clicks', 'reads'];
      const runAll = (kind: LoadKind) =>
        itemsPerSecond(Array.from({ length: counts[kind] }), concurrency[kind], async () => void (await work[kind]()));
      await Promise.all(kinds.map(runAll));
    },
    close: () => agent.close(),
  };
}

/** The function that sends one request of a kind. */
function requestsOf(
  { url, headers, sandboxPort }: BenchService,
  agent: Agent,
  slugs: readonly string[],
): Record<LoadKind, () => Promise<unknown>> {
  let number = 0;

  async function send(method: string, path: string, body?: object, more: Record<string, string> = {}) {
    const response = await request(url + path, {
      ...{ dispatcher: agent, method, headers: { ...headers, ...more } },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (response.statusCode >= 400)
      throw new Error(`${method} ${path}: ${response.statusCode} ${await response.body.text()}`);
    return Buffer.from(await response.body.arrayBuffer());
  }

  async function waitForEnd(job: z.infer<typeof Job>): Promise<void> {
    let last = job;
    while (['queued', 'scheduled', 'running'].includes(last.state)) {
      await sleep(200);
      last = Job.parse(JSON.parse(String(await send('GET', `/jobs/${job.id}`))));
    }
    // A held job counts as done: it waits for a person.
    if (last.state === 'failed') throw new Error(`${job.id} failed: ${JSON.stringify(last.error)}`);
  }

  return {
    brochures: () => {
      number += 1;
      const origin = `http://127.0.0.1:${sandboxPort}`;
      const list = listingsFor(`soak-${number}`, (number % 4) + 1, origin, number % 3 === 0 ? `${number}` : '');
      const path = number % 2 === 0 ? '/apps/portal/v1/pdf' : '/apps/portal/v1/pdf-new';
      return send('POST', path, { list }, { accept: 'application/pdf' });
    },
    synchronisations: async () => {
      number += 1;
      const [method = 'GET', path = '', body] = synchronisations[number % synchronisations.length] ?? [];
      await waitForEnd(Job.parse(JSON.parse(String(await send(method, path, body)))));
    },
    messages: () => {
      const body = { to: '+971501234561', text: `Your viewing is at 4 pm (${randomUUID()}).` };
      return send('POST', '/apps/telephony/v1/sms/send', body, { 'idempotency-key': randomUUID() });
    },
    leads: () =>
      send('POST', '/apps/crm/v1/leads', { title: `Soak ${randomUUID()}` }, { 'idempotency-key': randomUUID() }),
    clicks: async () => {
      number += 1;
      const slug = slugs[number % slugs.length];
      const response = await request(`${new URL(url).origin}/r/${slug}`, {
        dispatcher: agent,
        headers: { 'user-agent': browser },
      });
      await response.body.dump();
      if (response.statusCode !== 302) throw new Error(`/r/${slug} answered ${response.statusCode}`);
    },
    reads: () => {
      number += 1;
      return send('GET', reads[number % reads.length] ?? '');
    },
  };
}

async function createLinks({ url, headers }: BenchService): Promise<string[]> {
  const slugs: string[] = [];
  for (let index = 0; index < linkCount; index += 1) {
    const body = JSON.stringify({ name: `Soak ${index}`, url: `https://example.com/homes/${index}` });
    const response = await fetch(`${url}/apps/links/v1/campaigns`, { method: 'POST', headers, body });
    slugs.push(Link.parse(await response.json()).slug);
  }
  return slugs;
}
