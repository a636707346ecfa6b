/** Store of operators' sessions in PostgreSQL, so that every API process knows them and signing out ends them. */
import { and, eq, gt, lt, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { sha256 } from './credentials.ts';
import { operatorSessionTable as table } from './schema.ts';

export type OperatorSessions = ReturnType<typeof createOperatorSessions>;

export function createOperatorSessions(db: NodePgDatabase) {
  return {
    /** @returns the content; undefined when the session is unknown, ended or expired */
    async find(id: string): Promise<object | undefined> {
      const isLive = and(eq(table.sha256, sha256(id)), gt(table.expiresAt, sql`now()`));
      const [row] = await db.select({ content: table.content }).from(table).where(isLive);
      return row?.content;
    },
    /** Also deletes expired sessions. */
    async save(id: string, content: object, expiresAt: Date): Promise<void> {
      await db.delete(table).where(lt(table.expiresAt, sql`now()`));
      await db
        .insert(table)
        .values({ sha256: sha256(id), content, expiresAt })
        .onConflictDoUpdate({ target: table.sha256, set: { content, expiresAt } });
    },
    async end(id: string): Promise<void> {
      await db.delete(table).where(eq(table.sha256, sha256(id)));
    },
  };
}
