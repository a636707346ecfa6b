/** The secrets that sign callbacks: one per client, and after a rotation the previous one for a grace period. */
import { randomBytes } from 'node:crypto';
import { and, desc, eq, gt, isNull, or, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { callbackSecretTable as table } from './schema.ts';

export type CallbackSecret = Omit<typeof table.$inferSelect, 'clientId'>;

export type CallbackSecrets = ReturnType<typeof createCallbackSecrets>;

/** As Standard Webhooks define. */
const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

export function createCallbackSecrets(db: NodePgDatabase) {
  const isCurrent = isNull(table.expiresAt);
  const insert = (on: Pick<NodePgDatabase, 'insert'>, clientId: string) =>
    on.insert(table).values({ clientId, secret: newSecret() }).onConflictDoNothing();

  const read = async (clientId: string): Promise<CallbackSecret[]> =>
    db
      .select({ secret: table.secret, createdAt: table.createdAt, expiresAt: table.expiresAt })
      .from(table)
      .where(and(eq(table.clientId, clientId), or(isCurrent, gt(table.expiresAt, sql`now()`))))
      .orderBy(sql`${table.expiresAt} desc nulls first`, desc(table.createdAt));

  /** The secrets that sign now, the current one first. Creates the client's first secret. */
  const live = async (clientId: string): Promise<[CallbackSecret, ...CallbackSecret[]]> => {
    let [current, ...older] = await read(clientId);
    if (!current || current.expiresAt !== null) {
      await insert(db, clientId);
      [current, ...older] = await read(clientId);
    }
    if (!current) throw new Error('PostgreSQL does not return the secret that was just written');
    return [current, ...older];
  };

  return {
    live,
    /** Creates a new secret. The previous one also signs for the grace period; older ones are deleted. */
    async rotate(clientId: string, graceSeconds: number) {
      await db.transaction(async tx => {
        await tx.delete(table).where(and(eq(table.clientId, clientId), sql`${table.expiresAt} is not null`));
        await tx
          .update(table)
          .set({ expiresAt: sql`now() + ${graceSeconds} * interval '1 second'` })
          .where(and(eq(table.clientId, clientId), isCurrent));
        await insert(tx, clientId);
      });
      return live(clientId);
    },
  };
}
