/** Read operations of reference data, users and units: paging, filters, entity tags. */
import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Collection } from '../kit/collection.ts';
import { ProjectError } from './project-error.ts';

export type Rows = Pick<Collection<object>, 'all' | 'get'>;

type ReadRequest = FastifyRequest<{ Params: { id: string }; Querystring: Record<string, string> }>;

const Page = z.object({
  page: z.coerce.number().int().min(1).default(1),
  limit: z.coerce.number().int().min(1).max(100).default(20),
});

function pageOf(rows: readonly object[], query: Record<string, string>): object {
  const { page: _, limit: __, ...filters } = query;
  const paging = Page.safeParse(query);
  if (!paging.success) throw new ProjectError('validation_failed', 'page or limit is out of bounds');
  const { page, limit } = paging.data;
  const found = rows.filter(row => {
    const fields = new Map<string, unknown>(Object.entries(row));
    return Object.entries(filters).every(
      ([name, wanted]) => String(fields.get(name) ?? '').toLowerCase() === wanted.toLowerCase(),
    );
  });
  return { data: found.slice((page - 1) * limit, page * limit), meta: { total: found.length, page, limit } };
}

/** Answers 304 when `If-None-Match` contains the current entity tag. */
function sendTagged(request: FastifyRequest, reply: FastifyReply, body: object): FastifyReply {
  const etag = `W/"${createHash('sha1').update(JSON.stringify(body)).digest('hex').slice(0, 20)}"`;
  reply.header('etag', etag);
  return request.headers['if-none-match'] === etag ? reply.code(304).send() : reply.send(body);
}

/** The third row of a list has a number as its name, or as its e-mail. */
const messyRow = (row: object, index: number): object =>
  index === 2 ? { ...row, ...('name' in row ? { name: 7 } : { email: 7 }) } : row;

/** @param isMessy whether rows are served in odd forms */
export function addReference(app: FastifyInstance, path: string, rows: Rows, isMessy: () => boolean): void {
  app.get(`/${path}`, (request: ReadRequest, reply) => {
    const shown = isMessy() ? rows.all().map(messyRow) : rows.all();
    return sendTagged(request, reply, pageOf(shown, request.query));
  });
  app.get(`/${path}/:id`, (request: ReadRequest, reply) => {
    const row = rows.get(request.params.id);
    if (!row) throw new ProjectError('not_found', 'No such record');
    return sendTagged(request, reply, { data: row });
  });
}

export function addUnits(
  app: FastifyInstance,
  projects: Rows,
  unitsOf: () => ReadonlyMap<number, readonly object[]>,
): void {
  app.get('/projects/:id/units', (request: ReadRequest, reply) => {
    if (!projects.get(request.params.id)) throw new ProjectError('not_found', 'No such record');
    const units = unitsOf().get(Number(request.params.id)) ?? [];
    return sendTagged(request, reply, pageOf(units, request.query));
  });
}
