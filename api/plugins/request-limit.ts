/** Request limit per client and minute, with RateLimit headers (draft-ietf-httpapi-ratelimit-headers-11). */
import type { FastifyInstance } from 'fastify';
import { countPoint, type RateLimits } from '../../core/rate-limits/rate-limits.ts';
import { ServiceError } from '../../core/runtime/errors.ts';

const windowSeconds = 60;

/** Must run after the token check, which sets the client. */
export function limitRequests(app: FastifyInstance, limits: RateLimits, perMinute: number): void {
  // Not in PostgreSQL, where every request would cost a write.
  const limiter = limits.limiter({
    name: 'requests',
    points: perMinute,
    seconds: windowSeconds,
    withoutRedis: 'memory',
  });
  app.addHook('onRequest', async (request, reply) => {
    const { clientId } = request.holder;
    if (clientId === '') return;
    const { count, isExceeded } = await countPoint(limiter, clientId);
    const left = Math.max(0, count.remainingPoints);
    const resetSeconds = Math.ceil(Math.max(0, count.msBeforeNext) / 1_000);
    reply.header('ratelimit-policy', `"requests";q=${perMinute};w=${windowSeconds}`);
    reply.header('ratelimit', `"requests";r=${left};t=${resetSeconds}`);
    if (!isExceeded) return;
    throw new ServiceError('too-many-requests', `A client may send ${perMinute} requests per minute.`, {
      retryAfterSeconds: Math.max(1, resetSeconds),
    });
  });
}
