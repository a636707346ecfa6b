/** Sent text messages, counted against each client's daily cap, and the readings of the SMS gateway's balance. */
import { and, desc, eq, gt, gte, isNotNull, sql, sum } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import type { Database } from '../../postgres/client.ts';
import { marketingOfDay, smsBalanceTable, smsMessageTable as table } from './schema.ts';

type SmsMessage = Omit<typeof table.$inferInsert, 'state' | 'createdAt'>;

export function createSmsMessages(database: Database) {
  return {
    /**
     * Stores a message as `sending` if the client's parts since `since` stay within `maxParts`. Messages of one client
     * are serialized by an advisory lock, so that concurrent ones cannot exceed the cap together.
     * @returns why it is not stored: the cap, or a marketing message to the same number on the same day
     */
    async reserve(message: SmsMessage, since: Date, maxParts: number): Promise<'reserved' | 'cap' | 'contacted'> {
      const stored = database.transaction(async (transaction): Promise<'reserved' | 'cap'> => {
        await transaction.execute(sql`select pg_advisory_xact_lock(hashtext('sms'), hashtext(${message.clientId}))`);
        const [row] = await transaction
          .select({ parts: sum(table.parts).mapWith(Number) })
          .from(table)
          .where(and(eq(table.clientId, message.clientId), gte(table.createdAt, since)));
        if ((row?.parts ?? 0) + message.parts > maxParts) return 'cap';
        await transaction
          .insert(table)
          .values({ ...message, state: 'sending' })
          .onConflictDoUpdate({ target: table.id, set: { state: 'sending' } });
        return 'reserved';
      });
      return await stored.catch((error: unknown) => {
        const cause = error instanceof Error ? error.cause : undefined;
        if (cause instanceof pg.DatabaseError && cause.constraint === marketingOfDay) return 'contacted';
        throw error;
      });
    },

    async settle(id: string, state: 'sent' | 'unknown'): Promise<void> {
      await database.update(table).set({ state }).where(eq(table.id, id));
    },

    /** Deletes a message that was definitely not sent. */
    async release(id: string): Promise<void> {
      await database.delete(table).where(eq(table.id, id));
    },
  };
}

/** The last balance that could be read; undefined when none was. */
export async function lastBalance(db: NodePgDatabase) {
  const [row] = await db
    .select()
    .from(smsBalanceTable)
    .where(isNotNull(smsBalanceTable.amount))
    .orderBy(desc(smsBalanceTable.askedAt))
    .limit(1);
  return row && row.amount !== null && row.currency !== null
    ? { amount: row.amount, currency: row.currency, askedAt: row.askedAt }
    : undefined;
}

export async function wasAskedWithin(db: NodePgDatabase, seconds: number): Promise<boolean> {
  const condition = gt(smsBalanceTable.askedAt, sql`now() - ${seconds} * interval '1 second'`);
  return (await db.$count(smsBalanceTable, condition)) > 0;
}

/** @param read undefined when the balance could not be read */
export async function storeBalance(
  db: NodePgDatabase,
  read: { amount: number; currency: string } | undefined,
): Promise<void> {
  await db.insert(smsBalanceTable).values({ amount: read?.amount, currency: read?.currency });
}
