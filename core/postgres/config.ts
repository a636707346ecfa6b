/** Which PostgreSQL the service uses, and how many connections a process opens to it. */
import { z } from 'zod';
import { wholeNumber } from '../runtime/config.ts';

export const DatabaseConfig = z.object({
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// or postgresql:// address' })
    .optional()
    .describe('PostgreSQL to use; unset: an embedded one, in DATA_DIR.'),
  DATABASE_POOL: wholeNumber(1, 500)
    .default(10)
    .describe('Connections each process opens to PostgreSQL at most.'),
});

export type DatabaseConfig = z.infer<typeof DatabaseConfig>;
