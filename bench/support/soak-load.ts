/** A part of an hour's work for the service: what a busy brokerage asks of it, a few requests of each sort at a time. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { z } from 'zod';
import { perSecond } from './in-turns.ts';
import { listingsFor } from './listings.ts';
import type { BenchService } from './service.ts';

export type Sort = 'brochures' | 'synchronisations' | 'messages' | 'leads' | 'clicks' | 'reads';
/** How many of each sort. */
export type Amounts = Readonly<Record<Sort, number>>;

/** Requests of a sort under way at once. */
const lanes: Amounts = { brochures: 3, synchronisations: 1, messages: 2, leads: 1, clicks: 8, reads: 4 };

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
  /** @throws Error when one of them is not done */
  carryOut(amounts: Amounts): Promise<void>;
  close(): Promise<void>;
}

const linkCount = 200;

export async function openLoad(service: BenchService): Promise<Load> {
  const { url, headers, sandboxPort } = service;
  const agent = new Agent({ connections: 32 });
  const slugs = await makeLinks(service);
  let number = 0;

  async function ask(method: string, path: string, body?: object, more: Record<string, string> = {}) {
    const answer = await request(url + path, {
      ...{ dispatcher: agent, method, headers: { ...headers, ...more } },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (answer.statusCode >= 400)
      throw new Error(`${method} ${path}: ${answer.statusCode} ${await answer.body.text()}`);
    return Buffer.from(await answer.body.arrayBuffer());
  }

  async function untilDone(job: z.infer<typeof Job>): Promise<void> {
    let last = job;
    while (['queued', 'scheduled', 'running'].includes(last.state)) {
      await sleep(200);
      last = Job.parse(JSON.parse(String(await ask('GET', `/jobs/${job.id}`))));
    }
    // A held run waits for a person, as it should.
    if (last.state === 'failed') throw new Error(`${job.id} failed: ${JSON.stringify(last.error)}`);
  }

  const work: Record<Sort, () => Promise<unknown>> = {
    brochures: () => {
      number += 1;
      const origin = `http://127.0.0.1:${sandboxPort}`;
      const list = listingsFor(
        `soak-${number}`,
        (number % 4) + 1,
        origin,
        number % 3 === 0 ? `${number}` : '',
      );
      const path = number % 2 === 0 ? '/apps/portal/v1/pdf' : '/apps/portal/v1/pdf-new';
      return ask('POST', path, { list }, { accept: 'application/pdf' });
    },
    synchronisations: async () => {
      number += 1;
      const [method = 'GET', path = '', body] = synchronisations[number % synchronisations.length] ?? [];
      await untilDone(Job.parse(JSON.parse(String(await ask(method, path, body)))));
    },
    messages: () => {
      const body = { to: '+971501234561', text: `Your viewing is at 4 pm (${randomUUID()}).` };
      return ask('POST', '/apps/telephony/v1/sms/send', body, { 'idempotency-key': randomUUID() });
    },
    leads: () =>
      ask(
        'POST',
        '/apps/crm/v1/leads',
        { title: `Soak ${randomUUID()}` },
        { 'idempotency-key': randomUUID() },
      ),
    clicks: async () => {
      number += 1;
      const slug = slugs[number % slugs.length];
      const answer = await request(`${new URL(url).origin}/r/${slug}`, {
        dispatcher: agent,
        headers: { 'user-agent': browser },
      });
      await answer.body.dump();
      if (answer.statusCode !== 302) throw new Error(`/r/${slug} answered ${answer.statusCode}`);
    },
    reads: () => {
      number += 1;
      return ask('GET', reads[number % reads.length] ?? '');
    },
  };

  return {
    async carryOut(amounts) {
      const sorts: Sort[] = ['brochures', 'synchronisations', 'messages', 'leads', 'clicks', 'reads'];
      const each = (sort: Sort) =>
        perSecond(Array.from({ length: amounts[sort] }), lanes[sort], async () => void (await work[sort]()));
      await Promise.all(sorts.map(each));
    },
    close: () => agent.close(),
  };
}

async function makeLinks({ url, headers }: BenchService): Promise<string[]> {
  const slugs: string[] = [];
  for (let made = 0; made < linkCount; made += 1) {
    const body = JSON.stringify({ name: `Soak ${made}`, url: `https://example.com/homes/${made}` });
    const answer = await fetch(`${url}/apps/links/v1/campaigns`, { method: 'POST', headers, body });
    slugs.push(Link.parse(await answer.json()).slug);
  }
  return slugs;
}
