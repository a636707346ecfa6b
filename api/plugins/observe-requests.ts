/** Observability of requests: trace span, log context, log line and metrics. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { logContext, withLogContext } from '../../core/telemetry/log-context.ts';
import { httpRequests, httpSeconds } from '../../core/telemetry/meter.ts';
import { openSpan, type Span } from '../../core/telemetry/spans.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined while tracing is off. */
    span: Span | undefined;
  }
}

/** Health probes and scrapes come every few seconds. */
const isProbe = (operationId = ''): boolean => operationId.startsWith('health.') || operationId === 'ops.readMetrics';

/** Must be the first hook. Adds the headers of every response. */
export function traceRequests(app: FastifyInstance): void {
  app.decorateRequest('span');
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers({ 'x-request-id': request.id, ...request.routeOptions.config.headers });
    request.span = openRequestSpan(request);
    within(request, done);
  });
  // The body is read in events of the connection, which have no request context.
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

export function countRequests(app: FastifyInstance): void {
  app.addHook('onResponse', async ({ routeOptions, is404 }, reply) => {
    const operation = routeOptions.config.operationId ?? (is404 ? 'no-such-path' : 'other');
    const labels = { operation, status: String(reply.statusCode) };
    httpRequests.inc(labels);
    httpSeconds.observe(labels, reply.elapsedTime / 1_000);
  });
}

/** Logs one line per request, without body, query and token. */
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
    // Probes and redirects would outnumber all other lines.
    const isFrequent = operationId === 'links.open' || isProbe(operationId);
    request.log[isFrequent ? 'debug' : 'info'](line, 'answered');
  });
}

const within = ({ id, span }: FastifyRequest, work: () => void): void =>
  withLogContext({ requestId: id }, () => (span ? span.within(work) : work()));

function openRequestSpan({ id, method, headers, routeOptions, is404 }: FastifyRequest): Span | undefined {
  const { operationId } = routeOptions.config;
  if (isProbe(operationId)) return undefined;
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
