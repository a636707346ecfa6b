/** Makes each request a piece of work of its own: its id is in every line of the log, and it is a span of the trace. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { logContext, withLogContext } from '../../core/telemetry/log-context.ts';
import { openSpan, type Span } from '../../core/telemetry/spans.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined while tracing is off. */
    span: Span | undefined;
  }
}

/** Must come before every other hook. */
export function traceRequests(app: FastifyInstance): void {
  app.decorateRequest('span');
  app.addHook('onRequest', (request, _, done) => {
    request.span = openRequestSpan(request);
    within(request, done);
  });
  // A body comes in on events of the connection, which belong to no request.
  app.addHook('preValidation', (request, _, done) => {
    if (logContext().requestId === request.id) done();
    else within(request, done);
  });
  app.addHook('onResponse', async ({ span, holder }, { statusCode }) => {
    span?.set({
      'http.response.status_code': statusCode,
      'portal.client.id': holder?.clientId || undefined,
    });
    span?.end(statusCode >= 500 ? String(statusCode) : undefined);
  });
}

const within = ({ id, span }: FastifyRequest, work: () => void): void =>
  withLogContext({ requestId: id }, () => (span ? span.within(work) : work()));

function openRequestSpan({ id, method, headers, routeOptions, is404 }: FastifyRequest): Span | undefined {
  const { operationId } = routeOptions.config;
  // Probes and scrapes come every few seconds and tell nothing.
  if (operationId?.startsWith('health.') || operationId === 'ops.readMetrics') return undefined;
  const route = is404 ? undefined : routeOptions.url;
  return openSpan(operationId ?? `${method} ${route ?? 'no such path'}`, {
    role: 'server',
    carriedBy: headers,
    attributes: {
      'portal.request.id': id,
      'portal.operation.id': operationId,
      'http.request.method': method,
      'http.route': route,
    },
  });
}

export function logRequests(app: FastifyInstance): void {
  app.addHook('onResponse', async (request, reply) => {
    const { operationId } = request.routeOptions.config;
    const line = {
      operation: operationId,
      method: request.method,
      path: request.originalUrl.split('?')[0],
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
      client: request.holder.clientId || undefined,
    };
    // Probes come every few seconds, clicks by the thousand and are counted; they would drown the rest.
    const isMany =
      operationId === 'links.open' || operationId === 'ops.readMetrics' || operationId?.startsWith('health.');
    request.log[isMany ? 'debug' : 'info'](line, 'answered');
  });
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
}
