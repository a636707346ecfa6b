/** The events platform (Eventbrite), where events are published and tickets ordered. */
import { z } from 'zod';
import { httpUrl, wholeNumber } from '../../runtime/config.ts';
import { ServiceError } from '../../runtime/errors.ts';
import { type CheckFinding, failure } from '../../runtime/finding.ts';
import { groupBy } from '../../values/group-by.ts';
import type { RawAnswer } from '../kit/call.ts';
import type { SystemTools } from '../kit/context.ts';
import { defineSystem } from '../kit/define-system.ts';
import type { VendorFault } from '../kit/fault.ts';
import type { SystemHttp } from '../kit/http.ts';
import type { ReadRow } from '../kit/read-rows.ts';
import { incompleteList, UpstreamError } from '../kit/upstream-error.ts';
import { readList } from './paging.ts';
import {
  AttendeesPage,
  Me,
  type Order,
  OrdersPage,
  OrganizationsPage,
  ourOrder,
  system,
  type WireAttendee,
} from './wire.ts';

export const EventsConfig = z.object({
  EVENTS_URL: httpUrl
    .optional()
    .describe(
      'The events platform’s API, such as https://www.eventbriteapi.com/v3; unset: the sandbox in development.',
    ),
  EVENTS_TOKEN: z.string().default('').describe('Private token of the events platform.'),
  EVENTS_ORGANIZATION_ID: z
    .string()
    .regex(/^\d+$/, 'must be a number')
    .optional()
    .describe('Organisation whose orders are read; unset: the token’s only one.'),
  EVENTS_CALLS_PER_HOUR: wholeNumber(2, 1_000_000)
    .default(1_000)
    .describe('Calls to the events platform in an hour, by all processes together.'),
});
type EventsConfig = z.infer<typeof EventsConfig>;

export default defineSystem({
  ...system,
  config: EventsConfig,
  configuredBy: 'EVENTS_URL',
  sandbox: base => ({ EVENTS_URL: `${base}/v3`, EVENTS_TOKEN: 'sandbox', EVENTS_ORGANIZATION_ID: '5550001' }),
  open: openEvents,
  probe: events => events.me(),
  checkSettings: events => events.checkOrganization(),
});

export interface OrdersQuery {
  /** Orders of this event; else of the whole organisation. */
  eventId?: string | undefined;
  /** Orders changed since then, rounded down to a second. */
  changedSince?: Date | undefined;
  /** Called after each page with the number of orders read so far. */
  onRead?: (orders: number) => void;
}

export type Events = ReturnType<typeof openEvents>;

function openEvents(config: EventsConfig, tools: SystemTools) {
  const perHour = config.EVENTS_CALLS_PER_HOUR;
  const http = tools.http({
    baseUrl: config.EVENTS_URL ?? '',
    headers: () => ({ authorization: `Bearer ${config.EVENTS_TOKEN}` }),
    readFault,
    // Half of the hour's calls at once and the rest spread over it: the limit holds in any hour.
    budget: { name: 'events', capacity: perHour / 2, perSecond: perHour / 2 / 3_600, reserve: perHour / 20 },
  });
  const organizations = () =>
    readAll('organisations', async continuation => {
      const page = await http.get('/users/me/organizations/', OrganizationsPage, { continuation });
      return { items: page.organizations, pagination: page.pagination };
    });

  async function organizationId(): Promise<string> {
    if (config.EVENTS_ORGANIZATION_ID !== undefined) return config.EVENTS_ORGANIZATION_ID;
    const [first, ...others] = await organizations();
    if (first && others.length === 0) return first.id;
    throw new ServiceError(
      'system-not-configured',
      'The events platform’s token does not belong to exactly one organisation: set EVENTS_ORGANIZATION_ID.',
    );
  }

  return {
    /** The owner of the token. */
    async me() {
      const { id, name, emails } = await http.get('/users/me/', Me);
      const email = (emails.find(({ primary }) => primary) ?? emails[0])?.email ?? null;
      return { id, name, email };
    },

    organizations,

    /** Whether the token belongs to the organisation that is set, or to exactly one. */
    async checkOrganization(): Promise<CheckFinding[]> {
      const ids = (await organizations()).map(({ id }) => id);
      const wanted = config.EVENTS_ORGANIZATION_ID;
      if (wanted === undefined ? ids.length === 1 : ids.includes(wanted)) return [];
      return [
        failure(
          `the token belongs to the organisations ${ids.join(', ') || 'none'}`,
          'set EVENTS_ORGANIZATION_ID to the one whose orders are read',
        ),
      ];
    },

    /**
     * All orders with their attendees, and the number of orders that the platform counts but did not return in two reads.
     * @throws ServiceError not-found when there is no such event; UpstreamError
     */
    async orders(query: OrdersQuery) {
      const { eventId } = query;
      const owner = eventId === undefined ? `/organizations/${await organizationId()}` : `/events/${eventId}`;
      return await readOrders(http, `${owner}/orders/`, query);
    },
  };
}

async function readOrders(http: SystemHttp, path: string, { changedSince, onRead }: OrdersQuery) {
  const query = {
    status: 'both',
    changed_since: changedSince?.toISOString().replace(/\.\d+Z$/, 'Z'),
  };
  const attendees = attendeesByEvent(http);
  let read = 0;
  const { items, missing } = await readList(async continuation => {
    const page = await readOrdersPage(http, path, { ...query, continuation }, attendees);
    read += page.items.length;
    onRead?.(read);
    return page;
  });
  return { orders: items, missing };
}

/** A list that must be complete. */
async function readAll<T>(what: string, readPage: Parameters<typeof readList<T>>[0]): Promise<T[]> {
  const { items, received, missing } = await readList(readPage);
  if (missing === 0) return items;
  throw incompleteList(system, what, { expected: received + missing, received });
}

/** The answers of attendees, which may contain their phone, are an expansion of their own. */
const expansions = 'attendees,attendees.answers,event';

type AttendeesOfOrder = (order: { id: string; event_id: string }) => Promise<WireAttendee[]>;

/** Where the platform cannot expand an order, its attendees are read from its event. */
async function readOrdersPage(
  http: SystemHttp,
  path: string,
  query: Record<string, string | undefined>,
  attendeesOf: AttendeesOfOrder,
) {
  try {
    const { orders, pagination } = await http.get(path, OrdersPage, { ...query, expand: expansions });
    return { items: orders.map(read => ('row' in read ? { ...read, row: ourOrder(read.row) } : read)), pagination };
  } catch (error) {
    if (error instanceof UpstreamError && error.failure.status === 404) throw noSuchEvent(error);
    if (!(error instanceof UpstreamError) || error.failure.code !== 'EXPANSION_FAILED') throw error;
  }
  const { orders, pagination } = await http.get(path, OrdersPage, query);
  const items: ReadRow<Order>[] = [];
  for (const read of orders)
    items.push('row' in read ? { ...read, row: ourOrder(read.row, await attendeesOf(read.row)) } : read);
  return { items, pagination };
}

type ListQuery = Readonly<Record<string, string | undefined>>;

/** Sends the call once more without `expand` when the platform cannot expand. */
async function withoutExpansion<T>({ expand, ...query }: ListQuery, get: (query: ListQuery) => Promise<T>): Promise<T> {
  try {
    return await get({ ...query, expand });
  } catch (error) {
    if (!(error instanceof UpstreamError) || error.failure.code !== 'EXPANSION_FAILED') throw error;
    return await get(query);
  }
}

/**
 * Reads the attendees of each event once. The shorter `/orders/{id}/attendees/` exists but is not in the vendor's published
 * document.
 */
function attendeesByEvent(http: SystemHttp): AttendeesOfOrder {
  const events = new Map<string, Promise<Map<string, WireAttendee[]>>>();
  const read = async (eventId: string) => {
    const path = `/events/${eventId}/attendees/`;
    const attendees = await readAll('attendees', async continuation => {
      const page = await withoutExpansion({ expand: 'answers', continuation }, query =>
        http.get(path, AttendeesPage, query),
      );
      return { items: page.attendees, pagination: page.pagination };
    });
    return groupBy(attendees, attendee => attendee.order_id);
  };
  return async ({ id, event_id: eventId }) => {
    const known = events.get(eventId) ?? read(eventId);
    events.set(eventId, known);
    return (await known).get(id) ?? [];
  };
}

const WireError = z.object({ error: z.string().optional(), error_description: z.string().optional() });

/** Errors are `{status_code, error, error_description}`; a rejected token is a 400. */
function readFault(answer: RawAnswer): VendorFault | undefined {
  if (answer.status < 400) return undefined;
  const { error: code, error_description: message = '' } = WireError.safeParse(answer.json()).data ?? {};
  const texts = { message, ...(code !== undefined && { code }) };
  if (code === 'INVALID_AUTH' || code === 'NO_AUTH') return { verdict: 'unauthorized', ...texts };
  if (code === 'HIT_RATE_LIMIT') return { verdict: 'limit', ...texts, retryAfterMs: 60_000 };
  // The same call would fail again; without the expansion, or from the first page, it does not.
  if (code === 'EXPANSION_FAILED' || code === 'BAD_CONTINUATION_TOKEN') return { verdict: 'rejected', ...texts };
  return undefined;
}

const noSuchEvent = (cause: unknown): ServiceError =>
  new ServiceError('not-found', 'The events platform has no such event.', { cause });
