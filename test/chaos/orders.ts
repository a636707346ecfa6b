/** What the clients of a chaos run ask for: jobs of every kind, and the operations that have an effect at once. */
import type { Random } from '../../sandbox/kit/random.ts';
import type { Asked } from './good-client.ts';

/** Where the effect of an order is to be found in the sandbox: the rows that carry the mark. */
export interface Mark {
  place: 'leads' | 'items' | 'messages' | 'employees';
  text: string;
}

export interface Order extends Asked {
  number: number;
  startsJob: boolean;
  client: number;
  /** The same request under the same key once more, at the same time or after the answer. */
  repeat: 'no' | 'at-once' | 'after';
  /** The effect that a good answer promises, and that must not be there twice whatever the answer. */
  mark?: Mark;
  /** What the lead must have once the job has succeeded. */
  leadChange?: { leadId: number; campaign: string; phone: string };
  /** Whom a termination cuts off in the directory. */
  terminated?: number;
}

export interface World {
  random: Random;
  /** Makes the marks of one run unlike those of another. */
  run: string;
  photos: string;
  callbackUrl: string;
  leadIds: readonly number[];
  /** CRM ids of people whom a termination may hit. */
  leavers: readonly number[];
  directoryIds: readonly string[];
}

type Draft = Omit<Order, 'number' | 'client' | 'repeat' | 'startsJob'>;
type Maker = (number: number, world: World) => Draft;

const post = (path: string, body: object): Draft => ({ method: 'POST', path, body });
const markOf = ({ run }: World, number: number) => `Chaos ${run} ${number}`;
/** Neither listed nor unclear to the do-not-call registry: it goes by the last digits. */
const phoneOf = (base: number, number: number): string => `+9715${base}${String(number).padStart(5, '0')}01`;
const taken = <Item>(items: readonly Item[], number: number): Item => {
  const item = items[number % items.length];
  if (item === undefined) throw new Error('the sandbox has nobody left');
  return item;
};

function listing(number: number, { random, run, photos }: World): object {
  const photo = Array.from(
    { length: random.whole(0, 3) },
    () => `${photos}/${String(random.whole(1, 27)).padStart(2, '0')}.jpg`,
  );
  return {
    reference_number: `CH-${run}-${number}-${random.hex(4)}`,
    title_en: `Chaos ${number}: two bedrooms over the marina`,
    description_en: 'A corner apartment on a high floor. '.repeat(random.whole(1, 30)),
    purpose: 'Sale',
    price: String(random.whole(900_000, 9_000_000)),
    bedroom: '2',
    photo,
  };
}

const listings = (number: number, world: World) =>
  Array.from({ length: world.random.whole(1, 3) }, () => listing(number, world));

const changedLead: Maker = (number, world) => {
  const leadId = taken(world.leadIds, number);
  const campaign = markOf(world, number);
  const phone = phoneOf(5, number);
  const path = world.random.chance(0.7) ? '/apps/portal/v1/leads/update' : '/apps/portal/v1/leads/queue';
  const fields = { utm: { campaign }, phones: [phone] };
  return { ...post(path, { id: leadId, fields }), leadChange: { leadId, campaign, phone } };
};

const scopes = [{ city: 'Dubai' }, { city: 'Sharjah' }, { city: 'Ajman' }, { city: 'Abu Dhabi' }, {}];
const terminationPaths = ['', '/directory', '/property-projects', '/chat-bot'];

const termination: Maker = (number, { leavers, random }) => {
  const crmId = taken(leavers, number);
  const path = random.pick(terminationPaths);
  const body = { crmId, reason: 'Left the firm (chaos run)' };
  const cutsDirectory = path === '' || path === '/directory';
  return {
    ...post(`/apps/crm/v1/users/terminate${path}`, body),
    ...(cutsDirectory && { terminated: crmId }),
  };
};

const activityDays = ['2026-05-11', '2026-05-14', '2026-05-19', '2026-05-26'];

/** Jobs by how often they are asked for. */
const jobs: readonly [share: number, make: Maker][] = [
  [22, (number, world) => post('/apps/portal/v1/pdf', { list: listings(number, world) })],
  [14, (number, world) => post('/apps/portal/v1/pdf-new', { list: listings(number, world) })],
  [14, changedLead],
  [8, (number, { leadIds }) => post('/apps/portal/v1/leads/enrich', { id: taken(leadIds, number) })],
  [10, termination],
  [8, (_, { random }) => post('/apps/crm/v1/locations/sync', { scope: random.pick(scopes) })],
  [7, () => post('/apps/events/v1/orders/process', {})],
  [
    5,
    (_, { random }) => {
      const day = random.pick(activityDays);
      return { method: 'GET', path: `/apps/portal/v1/user-activity/sync?from=${day}&to=${day}` };
    },
  ],
  [5, (_, { random }) => post('/apps/employees/v1/employees/sync', { dryRun: random.chance(0.3) })],
  [4, () => ({ method: 'GET', path: '/apps/crm/v1/deals/acquire' })],
  [2, () => post('/apps/crm/v1/locations/acquire', {})],
  [1, () => post('/apps/listing-portal/v1/locations/update', {})],
  [2, () => ({ method: 'POST', path: '/schedules/event-orders/run' })],
];

const sms: Maker = (number, world) => {
  const text = markOf(world, number);
  const to = phoneOf(4, number);
  const mark: Mark = { place: 'messages', text };
  if (world.random.chance(0.7)) return { ...post('/apps/telephony/v1/sms/send', { to, text }), mark };
  const query = new URLSearchParams({ to, text });
  return { method: 'GET', path: `/apps/telephony/v1/sms/send?${query}`, mark };
};

const lead: Maker = (number, world) => {
  const title = markOf(world, number);
  const body = { title, firstName: 'Chaos', phones: [phoneOf(0, number)] };
  return { ...post('/apps/crm/v1/leads', body), mark: { place: 'leads', text: title } };
};

const landingPageLead: Maker = (number, world) => {
  const name = markOf(world, number);
  const visitorAddress = `198.51.100.${(number % 250) + 1}`;
  const body = { name, phone: phoneOf(2, number), consent: true, visitorAddress };
  const mark: Mark = { place: 'leads', text: `Landing page: ${name}` };
  return { ...post('/apps/crm/v1/leads/landing-page', body), mark };
};

const item: Maker = (number, world) => {
  const title = markOf(world, number);
  return { ...post('/apps/crm/v1/items/1224', { fields: { title } }), mark: { place: 'items', text: title } };
};

const employee: Maker = (number, world) => {
  const lastName = markOf(world, number);
  const email = `chaos.${world.run}.${number}@meridianpalm.example`.toLowerCase();
  const body = {
    ...{ firstName: 'Chaos', lastName, email, gender: 'Female' },
    ...{ dateOfBirth: '1991-05-17', dateOfJoining: '2024-03-01' },
  };
  return { ...post('/apps/employees/v1/employees', body), mark: { place: 'employees', text: email } };
};

/** Of no run and no year: only that it is not due while the run lasts. */
const inYears = Math.ceil(Date.now() / 86_400_000 + 1_000) * 86_400_000;

const stateJob: Maker = (number, { directoryIds }) =>
  post('/apps/directory/v1/user-state-jobs', {
    userIds: [taken(directoryIds, number)],
    state: 'SUSPENDED',
    startDate: new Date(inYears + number * 60_000).toISOString(),
  });

const effects: readonly [share: number, make: Maker][] = [
  [30, sms],
  [22, lead],
  [16, landingPageLead],
  [14, item],
  [10, employee],
  [8, stateJob],
];

/** Of every so many requests one has its effect at once, besides the jobs. */
const jobsPerEffect = 3;

export function makeOrders(jobCount: number, world: World): Order[] {
  const orders: Order[] = [];
  for (let made = 0; made < jobCount; made += 1) {
    orders.push(order(orders.length, drawn(jobs, world), true, world));
    if (made % jobsPerEffect === 0) orders.push(order(orders.length, drawn(effects, world), false, world));
  }
  return orders;
}

function drawn(shares: readonly [number, Maker][], { random }: World): Maker {
  let left = random.next() * shares.reduce((sum, [share]) => sum + share, 0);
  for (const [share, make] of shares) {
    left -= share;
    if (left < 0) return make;
  }
  throw new Error('the shares do not add up');
}

/** An effect always goes out under a key; a job without one may be asked for twice, and is then two jobs. */
function order(number: number, make: Maker, startsJob: boolean, world: World): Order {
  const { random, run, callbackUrl } = world;
  const draft = make(number, world);
  const isKeyed = draft.method === 'POST' ? !startsJob || random.chance(0.7) : draft.mark !== undefined;
  const hasCallback = startsJob && draft.body !== undefined && random.chance(0.25);
  return {
    ...draft,
    ...(hasCallback && { body: { ...draft.body, callback: { url: callbackUrl } } }),
    ...(isKeyed && { key: `chaos-${run}-${number}` }),
    number,
    startsJob,
    client: random.whole(0, 2),
    repeat: isKeyed && random.chance(0.25) ? random.pick(['at-once', 'after'] as const) : 'no',
  };
}

export const idOf = (body: Buffer): string | undefined =>
  /"id":"([a-z-]+_[0-9a-f-]{36})"/.exec(body.toString())?.[1];
