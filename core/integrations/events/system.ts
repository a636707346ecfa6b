/** The events platform (Eventbrite), where events are published and tickets ordered. */
import { z } from 'zod';
import { httpUrl, wholeNumber } from '../../runtime/config.ts';
import { ServiceError } from '../../runtime/errors.ts';
import type { RawAnswer } from '../kit/call.ts';
import type { SystemTools } from '../kit/context.ts';
import { defineSystem } from '../kit/define-system.ts';
import type { VendorFault } from '../kit/fault.ts';
import type { SystemHttp } from '../kit/http.ts';
import { UpstreamError } from '../kit/upstream-error.ts';
import { AttendeesPage, Me, type Order, OrdersPage, OrganizationsPage, ourOrder } from './wire.ts';

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
  name: 'events',
  title: 'The events platform',
  config: EventsConfig,
  configuredBy: 'EVENTS_URL',
  sandbox: base => ({ EVENTS_URL: `${base}/v3`, EVENTS_TOKEN: 'sandbox', EVENTS_ORGANIZATION_ID: '5550001' }),
  open: openEvents,
  probe: events => events.me(),
});

export interface OrdersQuery {
  /** Orders of this event; else of the whole organisation. */
  eventId?: string | undefined;
  /** Orders changed since then, rounded down to a second. */
  changedSince?: Date | undefined;
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
  const organizations = async () =>
    (await http.get('/users/me/organizations/', OrganizationsPage)).organizations;

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

    /**
     * All orders with their attendees, page by page, the latest change first.
     * @throws ServiceError not-found when there is no such event; UpstreamError also when a page is repeated
     */
    async *orders({ eventId, changedSince }: OrdersQuery): AsyncGenerator<Order[]> {
      const owner = eventId === undefined ? `/organizations/${await organizationId()}` : `/events/${eventId}`;
      const seen = new Set<string>();
      let continuation: string | undefined;
      do {
        const query = {
          status: 'both',
          changed_since: changedSince?.toISOString().replace(/\.\d+Z$/, 'Z'),
          continuation,
        };
        const { orders, pagination } = await readOrdersPage(http, `${owner}/orders/`, query);
        if (orders.length > 0 && orders.every(({ id }) => seen.has(id))) throw repeatedPage();
        for (const { id } of orders) seen.add(id);
        yield orders;
        continuation = pagination.has_more_items ? pagination.continuation : undefined;
      } while (continuation !== undefined);
    },
  };
}

/** Where the platform cannot expand an order, its attendees are read one order at a time. */
async function readOrdersPage(http: SystemHttp, path: string, query: Record<string, string | undefined>) {
  try {
    const page = await http.get(path, OrdersPage, { ...query, expand: 'attendees,event' });
    return { ...page, orders: page.orders.map(order => ourOrder(order)) };
  } catch (error) {
    if (error instanceof UpstreamError && error.failure.status === 404) throw noSuchEvent(error);
    if (!(error instanceof UpstreamError) || error.failure.code !== 'EXPANSION_FAILED') throw error;
  }
  const page = await http.get(path, OrdersPage, query);
  const orders = [];
  for (const order of page.orders) orders.push(ourOrder(order, await readAttendees(http, order.id)));
  return { ...page, orders };
}

async function readAttendees(http: SystemHttp, orderId: string) {
  const all = [];
  let continuation: string | undefined;
  do {
    const path = `/orders/${orderId}/attendees/`;
    const { attendees, pagination } = await http.get(path, AttendeesPage, { continuation });
    all.push(...attendees);
    continuation = pagination.has_more_items ? pagination.continuation : undefined;
  } while (continuation !== undefined);
  return all;
}

/** Errors are `{status_code, error, error_description}`; a rejected token is a 400. */
function readFault(answer: RawAnswer): VendorFault | undefined {
  if (answer.status < 400) return undefined;
  const body = answer.json();
  const code = typeof body === 'object' && body !== null && 'error' in body ? String(body.error) : undefined;
  if (code === 'INVALID_AUTH' || code === 'NO_AUTH') return { verdict: 'unauthorized', code };
  if (code === 'HIT_RATE_LIMIT') return { verdict: 'limit', code, retryAfterMs: 60_000 };
  // The same call would fail again; without the expansion it does not.
  if (code === 'EXPANSION_FAILED') return { verdict: 'rejected', code };
  return undefined;
}

const noSuchEvent = (cause: unknown): ServiceError =>
  new ServiceError('not-found', 'The events platform has no such event.', { cause });

const repeatedPage = (): UpstreamError =>
  new UpstreamError('upstream-failed', 'The events platform returned the same page of orders twice.', {
    ...{ system: 'events', transient: true, maybeExecuted: false },
  });
