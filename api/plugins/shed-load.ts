/** Answers 503 while the event loop lags, so that a balancer sends requests to other processes; `/health` still answers. */
import underPressure from '@fastify/under-pressure';
import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../../core/runtime/errors.ts';

/** Mean delay of a timer within a second, in milliseconds. */
const maxEventLoopDelay = 2_000;
const retryAfterSeconds = 5;

export async function shedLoad(
  app: FastifyInstance,
  healthPath: string,
  maxDelayMs = maxEventLoopDelay,
): Promise<void> {
  await app.register(underPressure, {
    maxEventLoopDelay: maxDelayMs,
    async pressureHandler(request) {
      // A restart would not help: the process is busy, not broken.
      if (request.url === healthPath) return;
      throw new ServiceError('service-unavailable', 'This process has more work than it can do; try again shortly.', {
        retryAfterSeconds,
      });
    },
  });
}
