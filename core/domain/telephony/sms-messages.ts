/** The text messages that were sent, counted against each client's day. */
import { and, eq, gte, sql, sum } from 'drizzle-orm';
import type { Database } from '../../postgres/client.ts';
import { smsMessageTable as table } from './schema.ts';

export type SmsMessage = Omit<typeof table.$inferInsert, 'state' | 'createdAt'>;

export function createSmsMessages(database: Database) {
  return {
    /**
     * Notes a message that is about to be sent, if the client may send so many parts more since `since`. Messages of
     * one client wait for each other here, so that together they cannot pass the cap.
     */
    reserve(message: SmsMessage, since: Date, maxParts: number): Promise<boolean> {
      return database.transaction(async transaction => {
        await transaction.execute(
          sql`select pg_advisory_xact_lock(hashtext('sms'), hashtext(${message.clientId}))`,
        );
        const [row] = await transaction
          .select({ parts: sum(table.parts).mapWith(Number) })
          .from(table)
          .where(and(eq(table.clientId, message.clientId), gte(table.createdAt, since)));
        if ((row?.parts ?? 0) + message.parts > maxParts) return false;
        await transaction
          .insert(table)
          .values({ ...message, state: 'sending' })
          .onConflictDoUpdate({ target: table.id, set: { state: 'sending' } });
        return true;
      });
    },

    async settle(id: string, state: 'sent' | 'unknown'): Promise<void> {
      await database.update(table).set({ state }).where(eq(table.id, id));
    },

    /** It was surely not sent. */
    async release(id: string): Promise<void> {
      await database.delete(table).where(eq(table.id, id));
    },
  };
}
