/** Secrets that the service generates at their first use; the same in all processes. */
import { randomBytes } from 'node:crypto';
import { eq } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { serviceSecretTable as table } from './schema.ts';

export type ServiceSecrets = ReturnType<typeof createServiceSecrets>;

export function createServiceSecrets(db: NodePgDatabase) {
  const cache = new Map<string, Buffer>();
  return {
    /** 256 random bits, always the same for a name. */
    async get(name: string): Promise<Buffer> {
      const cached = cache.get(name);
      if (cached) return cached;
      const generated = randomBytes(32).toString('base64');
      await db.insert(table).values({ name, secret: generated }).onConflictDoNothing();
      const [row] = await db.select().from(table).where(eq(table.name, name));
      const secret = Buffer.from(row?.secret ?? generated, 'base64');
      cache.set(name, secret);
      return secret;
    },
  };
}
