/** Seed data: 60 days of activity of clients, agents and anonymous visitors. */

import { seedLeads } from '../crm/seeds/clients.ts';
import { once } from '../kit/once.ts';
import { people } from '../kit/people.ts';
import { createRandom, type Random } from '../kit/random.ts';

export interface Entry {
  _id: string;
  _source: {
    '@timestamp': string;
    event: { id: string; action: string };
    user: { crm_id?: number; email?: string; phone?: string };
    listing?: { reference: string };
  };
  /** Reached the store days after the event. */
  late: boolean;
}

interface Visitor {
  user: Entry['_source']['user'];
  actions: readonly string[];
  /** Percentage of days with activity. */
  presence: number;
}

const days = 60;
/** Day 60 is 31 May 2026. */
const firstDay = Date.UTC(2026, 3, 2);
const day = 86_400_000;
const clientActions = 'listing.viewed listing.viewed listing.viewed search.made brochure.downloaded listing.saved'.split(' '); // biome-ignore format: words
const agentActions = 'listing.edited listing.viewed lead.opened report.viewed'.split(' ');

/** Ordered by time. */
export const seedActivities: () => readonly Entry[] = once(makeActivities);

function makeActivities(): Entry[] {
  const random = createRandom('activities');
  const visitors = [...clients(random), ...agents(random), ...anonymousVisitors(random)];
  const entries: Omit<Entry, '_id'>[] = [];
  for (let index = 0; index < days; index += 1) {
    for (const visitor of visitors)
      if (random.chance(visitor.presence / 100)) entries.push(...visit(random, visitor, firstDay + index * day));
  }
  return entries
    .sort((a, b) => a._source['@timestamp'].localeCompare(b._source['@timestamp']))
    .map((entry, index) => ({ _id: `act${index}`, ...entry }));
}

/** Every fourth lead uses the portal, identified by e-mail, phone or both. */
function clients(random: Random): Visitor[] {
  return seedLeads()
    .filter((_lead, index) => index % 4 === 0)
    .flatMap(({ PHONE, EMAIL }) => {
      const phone = firstValue(PHONE);
      const email = firstValue(EMAIL);
      const byPhone = phone !== undefined && (email === undefined || random.chance(0.6));
      const user = { ...(byPhone && { phone }), ...(email && { email: randomCase(random, email) }) };
      return phone || email ? [{ user, actions: clientActions, presence: random.whole(2, 14) }] : [];
    });
}

function agents(random: Random): Visitor[] {
  return people()
    .filter(({ number }) => number % 5 === 0)
    .map(({ crmId, email }) => ({
      user: { crm_id: crmId, ...(random.chance(0.5) && { email }) },
      actions: agentActions,
      presence: 30,
    }));
}

const anonymousVisitors = (random: Random): Visitor[] =>
  Array.from({ length: 30 }, (_, index) => ({
    user: random.chance(0.3) ? {} : { email: `visitor.${index}@mail.example` },
    actions: clientActions,
    presence: 5,
  }));

/** Up to eight events within half an hour; some visits end after midnight in Dubai, on the next local day. */
function visit(random: Random, { user, actions }: Visitor, at: number): Omit<Entry, '_id'>[] {
  let moment = at + random.whole(4 * 60, 22 * 60) * 60_000;
  return Array.from({ length: random.whole(1, 8) }, () => {
    moment += random.whole(5, 240) * 1_000;
    const action = random.pick(actions);
    const reference = `MP-${random.pick(['S', 'R'])}-${random.whole(1_000, 1_060)}`;
    return {
      _source: {
        '@timestamp': new Date(moment).toISOString(),
        event: { id: random.hex(20), action },
        user,
        ...(action.startsWith('listing.') && { listing: { reference } }),
      },
      late: random.chance(0.03),
    };
  });
}

const randomCase = (random: Random, email: string): string => (random.chance(0.2) ? email.toUpperCase() : email);

function firstValue(contacts: unknown): string | undefined {
  const [first]: unknown[] = Array.isArray(contacts) ? contacts : [];
  return typeof first === 'object' && first !== null && 'VALUE' in first ? String(first.VALUE) : undefined;
}
