/** Request limit per client and minute, with RateLimit headers (draft-ietf-httpapi-ratelimit-headers-11). */
import type { FastifyInstance } from 'fastify';
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import { countPoint } from '../../core/rate-limits/rate-limits.ts';
import { ServiceError } from '../../core/runtime/errors.ts';

/** Must run after the token check, which sets the client. */
export function limitRequests(app: FastifyInstance, limiter: RateLimiterAbstract): void {
  app.addHook('onRequest', async (request, reply) => {
    const { clientId } = request.holder;
    if (clientId === '') return;
    const { count, isExceeded } = await countPoint(limiter, clientId);
    const left = Math.max(0, count.remainingPoints);
    const resetSeconds = Math.ceil(Math.max(0, count.msBeforeNext) / 1_000);
    reply.header('ratelimit-policy', `"requests";q=${limiter.points};w=${limiter.duration}`);
    reply.header('ratelimit', `"requests";r=${left};t=${resetSeconds}`);
    if (!isExceeded) return;
    throw new ServiceError('too-many-requests', `A client may send ${limiter.points} requests per minute.`, {
      retryAfterSeconds: Math.max(1, resetSeconds),
    });
  });
}
