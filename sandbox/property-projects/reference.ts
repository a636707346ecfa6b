/** Reference data and users, read: paged, filtered, with entity tags. */
import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Collection } from '../kit/collection.ts';
import { ProjectRefusal } from './refusal.ts';

export type Rows = Pick<Collection<object>, 'all' | 'get'>;

type Asked = FastifyRequest<{ Params: { id: string }; Querystring: Record<string, string> }>;

const Page = z.object({
  page: z.coerce.number().int().min(1).default(1),
  limit: z.coerce.number().int().min(1).max(100).default(20),
});

function pageOf(rows: readonly object[], query: Record<string, string>): object {
  const { page: _, limit: __, ...filters } = query;
  const asked = Page.safeParse(query);
  if (!asked.success) throw new ProjectRefusal('validation_failed', 'page or limit is out of bounds');
  const { page, limit } = asked.data;
  const found = rows.filter(row => {
    const fields = new Map<string, unknown>(Object.entries(row));
    return Object.entries(filters).every(
      ([name, wanted]) => String(fields.get(name) ?? '').toLowerCase() === wanted.toLowerCase(),
    );
  });
  return { data: found.slice((page - 1) * limit, page * limit), meta: { total: found.length, page, limit } };
}

/** Answers 304 when the caller has the same already. */
function sendTagged(request: FastifyRequest, reply: FastifyReply, body: object): FastifyReply {
  const etag = `W/"${createHash('sha1').update(JSON.stringify(body)).digest('hex').slice(0, 20)}"`;
  reply.header('etag', etag);
  return request.headers['if-none-match'] === etag ? reply.code(304).send() : reply.send(body);
}

export function addReference(app: FastifyInstance, path: string, rows: Rows): void {
  app.get(`/${path}`, (request: Asked, reply) =>
    sendTagged(request, reply, pageOf(rows.all(), request.query)),
  );
  app.get(`/${path}/:id`, (request: Asked, reply) => {
    const row = rows.get(request.params.id);
    if (!row) throw new ProjectRefusal('not_found', 'No such record');
    return sendTagged(request, reply, { data: row });
  });
}

export function addUnits(
  app: FastifyInstance,
  projects: Rows,
  unitsOf: () => ReadonlyMap<number, readonly object[]>,
): void {
  app.get('/projects/:id/units', (request: Asked, reply) => {
    if (!projects.get(request.params.id)) throw new ProjectRefusal('not_found', 'No such record');
    const units = unitsOf().get(Number(request.params.id)) ?? [];
    return sendTagged(request, reply, pageOf(units, request.query));
  });
}
