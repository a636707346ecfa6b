/** How many requests a client may send in a minute, told with every answer (draft-ietf-httpapi-ratelimit-headers-11). */
import type { FastifyInstance } from 'fastify';
import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import type { RateLimits } from '../../core/rate-limits/rate-limits.ts';
import { ServiceError } from '../../core/runtime/errors.ts';

const windowSeconds = 60;

/** Must come after the check of the token: it counts for the client that the token says. */
export function limitRequests(app: FastifyInstance, limits: RateLimits, perMinute: number): void {
  // Not in PostgreSQL, where each request would cost a write.
  const limiter = limits.limiter({
    name: 'requests',
    points: perMinute,
    seconds: windowSeconds,
    withoutRedis: 'memory',
  });
  app.addHook('onRequest', async (request, reply) => {
    const { clientId } = request.holder;
    if (clientId === '') return;
    const { left, resetSeconds, refused } = await spend(limiter, clientId);
    reply.header('ratelimit-policy', `"requests";q=${perMinute};w=${windowSeconds}`);
    reply.header('ratelimit', `"requests";r=${left};t=${resetSeconds}`);
    if (!refused) return;
    throw new ServiceError('too-many-requests', `A client may send ${perMinute} requests in a minute.`, {
      retryAfterSeconds: Math.max(1, resetSeconds),
    });
  });
}

async function spend(
  limiter: RateLimiterAbstract,
  clientId: string,
): Promise<{ left: number; resetSeconds: number; refused: boolean }> {
  const { count, refused } = await limiter.consume(clientId).then(
    count => ({ count, refused: false }),
    (error: unknown) => {
      if (error instanceof RateLimiterRes) return { count: error, refused: true };
      throw error;
    },
  );
  return {
    left: Math.max(0, count.remainingPoints),
    resetSeconds: Math.ceil(Math.max(0, count.msBeforeNext) / 1_000),
    refused,
  };
}
