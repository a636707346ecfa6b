/** Settings of the queues. */
import { z } from 'zod';
import { RedisConfig } from '../redis/connection.ts';
import { wholeNumber } from '../runtime/config.ts';

export const QueueConfig = z.object({
  ...RedisConfig.shape,
  WORKER_LOCK_SECONDS: wholeNumber(2, 300)
    .default(10)
    .describe('A worker without a heartbeat for this long counts as dead, and other workers take over its jobs.'),
});
