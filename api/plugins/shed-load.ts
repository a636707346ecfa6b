/** Answers 503 while the event loop lags, so that a balancer sends requests to other processes; `/health` still answers. */
import underPressure from '@fastify/under-pressure';
import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../../core/runtime/errors.ts';

const retryAfterSeconds = 5;

/** @param maxDelayMs mean delay of a timer; 0: never sheds load */
export async function shedLoad(app: FastifyInstance, healthPath: string, maxDelayMs: number): Promise<void> {
  await app.register(underPressure, {
    maxEventLoopDelay: maxDelayMs,
    // Without a sample within the interval, the delay counts as endless.
    sampleInterval: 2 * maxDelayMs,
    async pressureHandler(request) {
      // A restart would not help: the process is busy, not broken.
      if (request.url === healthPath) return;
      throw new ServiceError('service-unavailable', 'This process has more work than it can do; try again shortly.', {
        retryAfterSeconds,
      });
    },
  });
}
