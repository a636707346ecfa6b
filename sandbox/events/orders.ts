/** Lists orders: continuation paging, `changed_since`, `status`, and expansion of attendees and event. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { organizationId } from './account.ts';
import { events, type Order } from './seed.ts';

const Query = z.object({
  changed_since: z
    .string()
    .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    .optional(),
  status: z.enum(['active', 'inactive', 'both', 'all_not_deleted']).default('active'),
  expand: z.string().default(''),
  continuation: z.string().optional(),
});

interface ListSettings {
  pageSize: number;
  refuseExpansion: boolean;
  repeatedPage: boolean;
}

export function addOrders(
  app: FastifyInstance,
  visibleOrders: () => readonly Order[],
  settings: Readonly<ListSettings>,
): void {
  app.get<{ Params: { id: string } }>('/v3/organizations/:id/orders/', (request, reply) =>
    request.params.id === organizationId
      ? list(request, reply, visibleOrders(), settings)
      : sendError(reply, 403, 'NOT_AUTHORIZED', 'You are not allowed to see this organization.'),
  );
  app.get<{ Params: { id: string } }>('/v3/events/:id/orders/', (request, reply) =>
    events.some(({ id }) => id === request.params.id)
      ? list(
          request,
          reply,
          visibleOrders().filter(order => order.event_id === request.params.id),
          settings,
        )
      : sendError(reply, 404, 'NOT_FOUND', 'The event you requested does not exist.'),
  );
  app.get<{ Params: { id: string } }>('/v3/orders/:id/attendees/', (request, reply) => {
    const order = visibleOrders().find(({ id }) => id === request.params.id);
    if (!order) return sendError(reply, 404, 'NOT_FOUND', 'The order you requested does not exist.');
    return { pagination: pagination(order.attendees.length, 1, 50), attendees: order.attendees };
  });
  app.get<{ Params: { id: string } }>('/v3/events/:id/', (request, reply) => {
    const event = events.find(({ id }) => id === request.params.id);
    if (!event) return sendError(reply, 404, 'NOT_FOUND', 'The event you requested does not exist.');
    return { id: event.id, name: { text: event.name, html: event.name } };
  });
}

const sendError = (reply: FastifyReply, status: number, error: string, description: string) =>
  reply.code(status).send({ status_code: status, error, error_description: description });

const statusFilters: Record<string, (order: Order) => boolean> = {
  active: order => order.status === 'placed',
  inactive: order => order.status !== 'placed',
  both: () => true,
  all_not_deleted: () => true,
};

function list(
  request: FastifyRequest,
  reply: FastifyReply,
  orders: readonly Order[],
  settings: ListSettings,
) {
  const query = Query.safeParse(request.query);
  if (!query.success)
    return sendError(
      reply,
      400,
      'ARGUMENTS_ERROR',
      'There are errors with your arguments: changed_since or status',
    );
  const { changed_since: since, status, expand, continuation } = query.data;
  const expansions = expand.split(',').filter(Boolean);
  if (settings.refuseExpansion && expansions.length > 0)
    return sendError(reply, 500, 'EXPANSION_FAILED', 'One of the requested expansions failed.');
  const page = pageOf(continuation);
  if (page === undefined)
    return sendError(reply, 400, 'BAD_CONTINUATION_TOKEN', 'The continuation token is invalid.');

  const found = orders
    .filter(order => statusFilters[status]?.(order) && (since === undefined || order.changed >= since))
    .sort((one, other) => (one.changed < other.changed ? 1 : -1));
  const shown = settings.repeatedPage ? 0 : page;
  const rows = found.slice(shown * settings.pageSize, (shown + 1) * settings.pageSize);
  return {
    pagination: pagination(found.length, page + 1, settings.pageSize),
    orders: rows.map(order => expandOrder(order, expansions)),
  };
}

function expandOrder({ attendees, ...order }: Order, expansions: readonly string[]) {
  const event = events.find(({ id }) => id === order.event_id);
  return {
    ...order,
    ...(expansions.includes('attendees') && { attendees }),
    ...(expansions.includes('event') && event && { event: { id: event.id, name: { text: event.name } } }),
  };
}

function pagination(count: number, page: number, size: number) {
  const pages = Math.max(1, Math.ceil(count / size));
  return {
    object_count: count,
    page_number: page,
    page_size: size,
    page_count: pages,
    has_more_items: page < pages,
    // The last page has a token, too.
    continuation: Buffer.from(JSON.stringify({ page })).toString('base64url'),
  };
}

/** The page number from 0; undefined for an invalid token. */
function pageOf(continuation: string | undefined): number | undefined {
  if (continuation === undefined) return 0;
  try {
    return z
      .object({ page: z.int().min(1) })
      .parse(JSON.parse(Buffer.from(continuation, 'base64url').toString())).page;
  } catch {
    return undefined;
  }
}
