/** Secrets that the service makes for itself at their first use; all its processes have the same. */
import { randomBytes } from 'node:crypto';
import { eq } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { serviceSecretTable as table } from './schema.ts';

export interface ServiceSecrets {
  /** 256 random bits, the same for a name whenever and wherever it is asked for. */
  get(name: string): Promise<Buffer>;
}

export function createServiceSecrets(db: NodePgDatabase): ServiceSecrets {
  const known = new Map<string, Buffer>();
  return {
    async get(name) {
      const kept = known.get(name);
      if (kept) return kept;
      const made = randomBytes(32).toString('base64');
      await db.insert(table).values({ name, secret: made }).onConflictDoNothing();
      const [row] = await db.select().from(table).where(eq(table.name, name));
      const secret = Buffer.from(row?.secret ?? made, 'base64');
      known.set(name, secret);
      return secret;
    },
  };
}
