/** The outbox of alerts: which message is to be sent next on a channel, and what came of each try. */
import { and, eq, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { AlertNews, type Channel } from './alert.ts';
import { alertMessageTable as table } from './schema.ts';

export interface DueMessage {
  id: string;
  news: AlertNews;
  /** Counts this try. */
  tries: number;
}

export interface AlertMessages {
  /**
   * Takes the channel's oldest message that is not delivered, if it is due: later ones wait, so that nobody reads of
   * an end before the beginning. It is this process's for the time of the lease; one that dies has used up a try.
   */
  claim(channel: Channel, leaseSeconds: number): Promise<DueMessage | undefined>;
  delivered(message: DueMessage): Promise<void>;
  /** @param againInSeconds undefined: it is given up, and those after it have their turn */
  failed(message: DueMessage, error: string, againInSeconds: number | undefined): Promise<void>;
}

export function createAlertMessages(db: NodePgDatabase): AlertMessages {
  /** Nothing when another process has taken the message over. */
  const ours = ({ id, tries }: DueMessage) => and(eq(table.id, id), eq(table.tries, tries));
  return {
    async claim(channel, leaseSeconds) {
      const oldest = db
        .select({ id: table.id })
        .from(table)
        .where(and(eq(table.channel, channel), eq(table.state, 'pending')))
        .orderBy(table.id)
        .limit(1);
      const [row] = await db
        .update(table)
        .set({
          tries: sql`${table.tries} + 1`,
          nextTryAt: sql`now() + ${leaseSeconds} * interval '1 second'`,
        })
        .where(and(eq(table.id, sql`(${oldest})`), sql`${table.nextTryAt} <= now()`))
        .returning({ id: table.id, news: table.news, tries: table.tries });
      return row && { ...row, news: AlertNews.parse(row.news) };
    },

    async delivered(message) {
      await db
        .update(table)
        .set({ state: 'delivered', deliveredAt: sql`now()`, lastError: null })
        .where(ours(message));
    },

    async failed(message, error, againInSeconds) {
      await db
        .update(table)
        .set({
          lastError: error,
          ...(againInSeconds === undefined
            ? { state: 'failed' }
            : { nextTryAt: sql`now() + ${againInSeconds} * interval '1 second'` }),
        })
        .where(ours(message));
    },
  };
}
