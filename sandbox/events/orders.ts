/** Lists orders with `changed_since`, `status`, and expansion of attendees and event; lists the attendees of an event. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { organizationId } from './account.ts';
import { messyOrder } from './messy-data.ts';
import { type Pager, rejectContinuation } from './pager.ts';
import { type Attendee, events, type Order } from './seed.ts';

const Query = z.object({
  changed_since: z
    .string()
    .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    .optional(),
  status: z.enum(['active', 'inactive', 'both', 'all_not_deleted']).default('active'),
  expand: z.string().default(''),
});

const Expand = z.object({ expand: z.string().optional() });

interface OrderList {
  visibleOrders: () => readonly Order[];
  settings: Readonly<{ refuseExpansion: boolean; messyData: boolean }>;
  pager: Pager;
}

export function addOrders(app: FastifyInstance, orderList: OrderList): void {
  const { visibleOrders, pager } = orderList;
  const ordersOf = (eventId: string) => visibleOrders().filter(order => order.event_id === eventId);
  const exists = (eventId: string) => events.some(({ id }) => id === eventId);

  app.get<{ Params: { id: string } }>('/v3/organizations/:id/orders/', (request, reply) =>
    request.params.id === organizationId
      ? list(request, reply, visibleOrders(), orderList)
      : sendError(reply, 403, 'NOT_AUTHORIZED', 'You are not allowed to see this organization.'),
  );
  app.get<{ Params: { id: string } }>('/v3/events/:id/orders/', (request, reply) =>
    exists(request.params.id)
      ? list(request, reply, ordersOf(request.params.id), orderList)
      : sendError(reply, 404, 'NOT_FOUND', 'The event you requested does not exist.'),
  );
  app.get<{ Params: { id: string } }>('/v3/events/:id/attendees/', (request, reply) => {
    if (!exists(request.params.id))
      return sendError(reply, 404, 'NOT_FOUND', 'The event you requested does not exist.');
    const { expand = '' } = Expand.parse(request.query);
    const attendees = ordersOf(request.params.id)
      .flatMap(order => order.attendees)
      .map(attendee => expandAttendee(attendee, expand.split(',').includes('answers')));
    const page = pager.cutPage(attendees, request.query);
    return page ? { pagination: page.pagination, attendees: page.rows } : rejectContinuation(reply);
  });
  app.get<{ Params: { id: string } }>('/v3/events/:id/', (request, reply) => {
    const event = events.find(({ id }) => id === request.params.id);
    if (!event) return sendError(reply, 404, 'NOT_FOUND', 'The event you requested does not exist.');
    return { id: event.id, name: { text: event.name, html: event.name } };
  });
}

const sendError = (reply: FastifyReply, status: number, error: string, description: string) =>
  reply.code(status).send({ status_code: status, error, error_description: description });

const isActive = ({ status, attendees }: Order): boolean =>
  status === 'placed' && attendees.some(attendee => attendee.status === 'Attending');

const statusFilters: Record<string, (order: Order) => boolean> = {
  active: isActive,
  inactive: order => !isActive(order),
  both: () => true,
  all_not_deleted: () => true,
};

function list(request: FastifyRequest, reply: FastifyReply, orders: readonly Order[], { settings, pager }: OrderList) {
  const query = Query.safeParse(request.query);
  if (!query.success)
    return sendError(reply, 400, 'ARGUMENTS_ERROR', 'There are errors with your arguments: changed_since or status');
  const { changed_since: since, status, expand } = query.data;
  const expansions = expand.split(',').filter(Boolean);
  if (settings.refuseExpansion && expansions.length > 0)
    return sendError(reply, 500, 'EXPANSION_FAILED', 'One of the requested expansions failed.');
  const found = orders
    .filter(order => statusFilters[status]?.(order) && (since === undefined || order.changed >= since))
    .sort((one, other) => (one.changed < other.changed ? 1 : -1));
  const page = pager.cutPage(found, request.query);
  if (!page) return rejectContinuation(reply);
  return {
    pagination: page.pagination,
    orders: page.rows.map(order => {
      const shown = expandOrder(order, expansions);
      return settings.messyData ? messyOrder(shown) : shown;
    }),
  };
}

/** Answers are an expansion of their own. */
const expandAttendee = ({ answers, ...attendee }: Attendee, withAnswers: boolean) => ({
  ...attendee,
  ...(withAnswers && { answers }),
});

function expandOrder({ attendees, ...order }: Order, expansions: readonly string[]) {
  const event = events.find(({ id }) => id === order.event_id);
  return {
    ...order,
    ...(expansions.some(name => name.startsWith('attendees')) && {
      attendees: attendees.map(one => expandAttendee(one, expansions.includes('attendees.answers'))),
    }),
    ...(expansions.includes('event') && event && { event: { id: event.id, name: { text: event.name } } }),
  };
}
