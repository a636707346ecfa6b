/** One line for each request: what was asked, by which client, what came of it; never a body, a query or a token. */
import type { FastifyInstance } from 'fastify';

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
