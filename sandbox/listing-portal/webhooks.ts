/**
 * `POST /simulate`, which the portal does not have: people enquire, and the portal sends the events late, several times and
 * in random order, and again while they are not accepted.
 */
import { createHmac } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { Collection } from '../kit/collection.ts';
import { listings } from '../kit/listings.ts';
import { createRandom, type Random } from '../kit/random.ts';
import { newLead, type PortalLead } from './leads.ts';

const sandboxWebhookSecret = 'sandbox'.padEnd(32, '0');

export const Simulation = z.strictObject({
  url: z.url().default('http://127.0.0.1:3000/v2/webhooks/listing-portal').describe('Where the events are sent.'),
  enquiries: z.int().min(0).max(10_000).default(1).describe('New enquiries.'),
  silent: z.int().min(0).max(10_000).default(0).describe('Further enquiries, of which no event is sent.'),
  actions: z.int().min(0).max(100).default(0).describe('Listings with a problem.'),
  deliveries: z.int().min(1).max(10).default(1).describe('How often each event is sent.'),
  withinMs: z.int().min(0).max(600_000).default(0).describe('Time in which they are sent, in random order.'),
});

interface PortalEvent {
  id: string;
  type: string;
  timestamp: string;
  entity: { id: string; type: 'lead' | 'listing' };
  payload: object;
}

/** Answers when each delivery is accepted, or was refused ten times. */
export async function simulate(leads: Collection<PortalLead>, simulation: z.output<typeof Simulation>) {
  const { url, deliveries, withinMs } = simulation;
  const random = createRandom(`enquiries after ${leads.size}`);
  const first = leads.size + 1;
  const made = Array.from({ length: simulation.enquiries + simulation.silent }, (_, index) => {
    const lead = newLead(random, first + index);
    leads.put(lead);
    return lead;
  });
  const events = [
    ...made.slice(0, simulation.enquiries).flatMap(lead => eventsOf(lead, random)),
    ...Array.from({ length: simulation.actions }, (_, index) => actionOf(first + index, random)),
  ];
  const sent = events.flatMap(event =>
    Array.from({ length: deliveries }, () => ({ event, waitMs: random.next() * withinMs })),
  );
  sent.sort((one, other) => one.waitMs - other.waitMs);
  const started = performance.now();
  const answers = await Promise.all(
    sent.map(async ({ event, waitMs }) => {
      await delay(Math.max(0, waitMs - (performance.now() - started)));
      return await deliver(url, event);
    }),
  );
  return { leads: made, events: events.length, refused: answers.filter(isAccepted => !isAccepted).length };
}

/** Enquiries about projects have no `lead.created`. */
function eventsOf({ id, createdAt, ...payload }: PortalLead, random: Random): PortalEvent[] {
  const event = (name: string, more: object = {}): PortalEvent => ({
    id: `lead-${name}-${id}`,
    type: `lead.${name}`,
    timestamp: createdAt,
    entity: { id, type: 'lead' },
    payload: { ...payload, ...more },
  });
  const begun = event(payload.entityType === 'project' ? 'assigned' : 'created');
  return random.chance(0.4) ? [begun, event('updated', { status: 'read' })] : [begun];
}

function actionOf(number: number, random: Random): PortalEvent {
  const { portalId, reference } = random.pick(listings());
  return {
    id: `action-created-${15_000_000 + number}`,
    type: 'listing.action',
    timestamp: new Date().toISOString(),
    entity: { id: portalId, type: 'listing' },
    payload: {
      actionType: random.pick(['listing_trakheesi_invalid', 'listing_adrec_expire_soon', 'listing_price_issue']),
      status: 'pending',
      entityType: 'listing',
      expiresAt: new Date(Date.now() + random.whole(1, 14) * 86_400_000).toISOString(),
      expireAction: 'listing_unpublish',
      listing: { id: portalId, reference },
    },
  };
}

const maxTries = 10;

async function deliver(url: string, event: PortalEvent): Promise<boolean> {
  const body = JSON.stringify(event);
  const headers = {
    'content-type': 'application/json',
    'x-signature': createHmac('sha256', sandboxWebhookSecret).update(body).digest('hex'),
  };
  for (let tries = 1; ; tries++) {
    // As the portal, which counts an answer after five seconds as a failure.
    const sent = fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(5_000) });
    const isAccepted = await sent.then(
      async response => {
        await response.body?.cancel();
        return response.ok;
      },
      () => false,
    );
    if (isAccepted || tries === maxTries) return isAccepted;
    await delay(500 * tries);
  }
}
