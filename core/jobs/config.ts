/** Settings of the queues. */
import { z } from 'zod';
import { wholeNumber } from '../runtime/config.ts';

export const QueueConfig = z.object({
  REDIS_URL: z
    .url({ protocol: /^rediss?$/, error: 'must be a redis:// or rediss:// address' })
    .optional()
    .describe('Queues on Redis; unset: queues in PostgreSQL.'),
  WORKER_LOCK_SECONDS: wholeNumber(2, 300)
    .default(10)
    .describe('A worker without a heartbeat for this long counts as dead, and other workers take over its jobs.'),
});
