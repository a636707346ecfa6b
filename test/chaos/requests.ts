/** Plans the requests of a chaos run: jobs of every kind, and operations with an immediate effect. */
import type { Random } from '../../sandbox/kit/random.ts';
import { shuffled } from './fault-injection.ts';
import type { ApiRequest } from './retrying-client.ts';

/** Identifies the rows of an effect in the sandbox. */
export interface Mark {
  collection: 'leads' | 'items' | 'messages' | 'employees';
  text: string;
}

export interface PlannedRequest extends ApiRequest {
  number: number;
  startsJob: boolean;
  client: number;
  /** Sends the request a second time with the same key: at the same time, or after the response. */
  repeat: 'no' | 'at-once' | 'after';
  /** The effect: exists after a successful response, and never exists twice. */
  mark?: Mark;
  /** Data of the lead after a succeeded job. */
  leadChange?: { leadId: number; campaign: string; phone: string };
  /** The user whose directory access a termination revokes. */
  terminatedCrmId?: number;
}

export interface RequestContext {
  random: Random;
  /** Distinguishes the marks of this run from those of others. */
  runId: string;
  photos: string;
  callbackUrl: string;
  leadIds: readonly number[];
  /** CRM ids of employees to terminate. */
  leavers: readonly number[];
  directoryIds: readonly string[];
}

type Draft = Omit<PlannedRequest, 'number' | 'client' | 'repeat' | 'startsJob'>;
type Maker = (number: number, context: RequestContext) => Draft;

const post = (path: string, body: object): Draft => ({ method: 'POST', path, body });
const markOf = ({ runId }: RequestContext, number: number) => `Chaos ${runId} ${number}`;
/** Not in the do-not-call registry, which the sandbox simulates by the last digits. */
const phoneOf = (base: number, number: number): string => `+9715${base}${String(number).padStart(5, '0')}01`;
const itemAt = <Item>(items: readonly Item[], number: number): Item => {
  const item = items[number % items.length];
  if (item === undefined) throw new Error('the sandbox has no rows of this kind');
  return item;
};

function listing(number: number, { random, runId, photos }: RequestContext): object {
  const photo = Array.from(
    { length: random.whole(0, 3) },
    () => `${photos}/${String(random.whole(1, 27)).padStart(2, '0')}.jpg`,
  );
  return {
    reference_number: `CH-${runId}-${number}-${random.hex(4)}`,
    title_en: `Chaos ${number}: two bedrooms over the marina`,
    description_en: 'A corner apartment on a high floor. '.repeat(random.whole(1, 30)),
    purpose: 'Sale',
    price: String(random.whole(900_000, 9_000_000)),
    bedroom: '2',
    photo,
  };
}

const listings = (number: number, context: RequestContext) =>
  Array.from({ length: context.random.whole(1, 3) }, () => listing(number, context));

const changedLead: Maker = (number, context) => {
  const leadId = itemAt(context.leadIds, number);
  const campaign = markOf(context, number);
  const phone = phoneOf(5, number);
  const path = context.random.chance(0.7) ? '/apps/portal/v1/leads/update' : '/apps/portal/v1/leads/queue';
  const fields = { utm: { campaign }, phones: [phone] };
  return { ...post(path, { id: leadId, fields }), leadChange: { leadId, campaign, phone } };
};

const scopes = [{ city: 'Dubai' }, { city: 'Sharjah' }, { city: 'Ajman' }, { city: 'Abu Dhabi' }, {}];
const terminationPaths = ['', '/directory', '/property-projects', '/chat-bot'];

const termination: Maker = (number, { leavers, random }) => {
  const crmId = itemAt(leavers, number);
  const path = random.pick(terminationPaths);
  const body = { crmId, reason: 'Left the firm (chaos run)' };
  const revokesDirectory = path === '' || path === '/directory';
  return {
    ...post(`/apps/crm/v1/users/terminate${path}`, body),
    ...(revokesDirectory && { terminatedCrmId: crmId }),
  };
};

const activityDays = ['2026-05-11', '2026-05-14', '2026-05-19', '2026-05-26'];

const runSchedule = (name: string): Draft => ({ method: 'POST', path: `/schedules/${name}/run` });

const jobs: readonly [weight: number, make: Maker][] = [
  [22, (number, context) => post('/apps/portal/v1/pdf', { list: listings(number, context) })],
  [14, (number, context) => post('/apps/portal/v1/pdf-new', { list: listings(number, context) })],
  [
    4,
    (number, context) => ({
      ...post('/apps/portal/v1/pdf/preview', { list: [listing(number, context)] }),
      headers: { accept: 'application/json' },
    }),
  ],
  [14, changedLead],
  [8, (number, { leadIds }) => post('/apps/portal/v1/leads/enrich', { id: itemAt(leadIds, number) })],
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
  [2, () => runSchedule('event-orders')],
  [2, () => runSchedule('maintenance')],
];

const sms: Maker = (number, context) => {
  const text = markOf(context, number);
  const to = phoneOf(4, number);
  const mark: Mark = { collection: 'messages', text };
  if (context.random.chance(0.7)) return { ...post('/apps/telephony/v1/sms/send', { to, text }), mark };
  const query = new URLSearchParams({ to, text });
  return { method: 'GET', path: `/apps/telephony/v1/sms/send?${query}`, mark };
};

const lead: Maker = (number, context) => {
  const title = markOf(context, number);
  const body = { title, firstName: 'Chaos', phones: [phoneOf(0, number)] };
  return { ...post('/apps/crm/v1/leads', body), mark: { collection: 'leads', text: title } };
};

const landingPageLead: Maker = (number, context) => {
  const name = markOf(context, number);
  const visitorAddress = `198.51.100.${(number % 250) + 1}`;
  const body = { name, phone: phoneOf(2, number), consent: true, visitorAddress };
  const mark: Mark = { collection: 'leads', text: `Landing page: ${name}` };
  return { ...post('/apps/crm/v1/leads/landing-page', body), mark };
};

const item: Maker = (number, context) => {
  const title = markOf(context, number);
  return {
    ...post('/apps/crm/v1/items/1224', { fields: { title } }),
    mark: { collection: 'items', text: title },
  };
};

const employee: Maker = (number, context) => {
  const lastName = markOf(context, number);
  const email = `chaos.${context.runId}.${number}@meridianpalm.example`.toLowerCase();
  const body = {
    firstName: 'Chaos',
    lastName,
    email,
    gender: 'Female',
    dateOfBirth: '1991-05-17',
    dateOfJoining: '2024-03-01',
  };
  return { ...post('/apps/employees/v1/employees', body), mark: { collection: 'employees', text: email } };
};

/** More than two years ahead: never due during the run. */
const farFuture = Math.ceil(Date.now() / 86_400_000 + 1_000) * 86_400_000;

const stateJob: Maker = (number, { directoryIds }) =>
  post('/apps/directory/v1/user-state-jobs', {
    userIds: [itemAt(directoryIds, number)],
    state: 'SUSPENDED',
    startDate: new Date(farFuture + number * 60_000).toISOString(),
  });

const effects: readonly [weight: number, make: Maker][] = [
  [30, sms],
  [22, lead],
  [16, landingPageLead],
  [14, item],
  [10, employee],
  [8, stateJob],
];

/** One request with an immediate effect per so many jobs. */
const jobsPerEffect = 3;

export function planRequests(jobCount: number, context: RequestContext): PlannedRequest[] {
  const requests: PlannedRequest[] = [];
  for (let job = 0; job < jobCount; job += 1) {
    requests.push(requestOf(requests.length, pickWeighted(jobs, context), true, context));
    if (job % jobsPerEffect === 0)
      requests.push(requestOf(requests.length, pickWeighted(effects, context), false, context));
  }
  return requests;
}

/** So many rounds of one request of each kind in random order, numbered throughout. */
export function planRounds(rounds: number, context: RequestContext): PlannedRequest[][] {
  let count = 0;
  return Array.from({ length: rounds }, () => {
    const kinds = [
      ...jobs.map(([, make]) => ({ make, startsJob: true })),
      ...effects.map(([, make]) => ({ make, startsJob: false })),
    ];
    return shuffled(kinds, context.random).map(({ make, startsJob }) => requestOf(count++, make, startsJob, context));
  });
}

function pickWeighted(weighted: readonly [number, Maker][], { random }: RequestContext): Maker {
  let left = random.next() * weighted.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, make] of weighted) {
    left -= weight;
    if (left < 0) return make;
  }
  throw new Error('the weights do not add up');
}

/** Requests with effects always have an idempotency key; without one, a retried job request starts a second job. */
function requestOf(number: number, make: Maker, startsJob: boolean, context: RequestContext): PlannedRequest {
  const { random, runId, callbackUrl } = context;
  const draft = make(number, context);
  const isKeyed = draft.method === 'POST' ? !startsJob || random.chance(0.7) : draft.mark !== undefined;
  const hasCallback = startsJob && draft.body !== undefined && random.chance(0.25);
  return {
    ...draft,
    ...(hasCallback && { body: { ...draft.body, callback: { url: callbackUrl } } }),
    ...(isKeyed && { key: `chaos-${runId}-${number}` }),
    number,
    startsJob,
    client: random.whole(0, 2),
    repeat: isKeyed && random.chance(0.25) ? random.pick(['at-once', 'after'] as const) : 'no',
  };
}

export const jobIdIn = (body: Buffer): string | undefined =>
  /"id":"([a-z-]+_[0-9a-f-]{36})"/.exec(body.toString())?.[1];
