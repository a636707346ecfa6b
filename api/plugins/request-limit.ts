/** Request limit per client and minute, with RateLimit headers (draft-ietf-httpapi-ratelimit-headers-11). */
import type { FastifyInstance } from 'fastify';
import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import type { RateLimits } from '../../core/rate-limits/rate-limits.ts';
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
    const { left, resetSeconds, exceeded } = await spend(limiter, clientId);
    reply.header('ratelimit-policy', `"requests";q=${perMinute};w=${windowSeconds}`);
    reply.header('ratelimit', `"requests";r=${left};t=${resetSeconds}`);
    if (!exceeded) return;
    throw new ServiceError('too-many-requests', `A client may send ${perMinute} requests per minute.`, {
      retryAfterSeconds: Math.max(1, resetSeconds),
    });
  });
}

async function spend(
  limiter: RateLimiterAbstract,
  clientId: string,
): Promise<{ left: number; resetSeconds: number; exceeded: boolean }> {
  const { count, exceeded } = await limiter.consume(clientId).then(
    count => ({ count, exceeded: false }),
    (error: unknown) => {
      if (error instanceof RateLimiterRes) return { count: error, exceeded: true };
      throw error;
    },
  );
  return {
    left: Math.max(0, count.remainingPoints),
    resetSeconds: Math.ceil(Math.max(0, count.msBeforeNext) / 1_000),
    exceeded,
  };
}
