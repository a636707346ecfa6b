/** Where the queues live. */
import { z } from 'zod';

export const QueueConfig = z.object({
  REDIS_URL: z
    .url({ protocol: /^rediss?$/, error: 'must be a redis:// or rediss:// address' })
    .optional()
    .describe('Queues on Redis; unset: queues in PostgreSQL.'),
});
