/** The outbox of alert messages: claims the next message of a channel, sends it, records the outcome of each try. */
import { and, eq, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { claimTry, tryOutcome } from '../postgres/outbox.ts';
import type { Logger } from '../telemetry/logger.ts';
import { AlertNews, type Channel } from './alert.ts';
import { alertMessageTable as table } from './schema.ts';

type Outbox = ReturnType<typeof createAlertOutbox>;
/** `tries` includes this try. */
type DueMessage = NonNullable<Awaited<ReturnType<Outbox['claim']>>>;
type Try = Pick<typeof table.$inferSelect, 'id' | 'tries'>;

export function createAlertOutbox(db: NodePgDatabase) {
  return {
    /**
     * Claims the channel's oldest undelivered message, if it is due. Later messages wait, so that no receiver reads of a
     * resolved alert before its opening. A process that dies has used a try.
     */
    async claim(channel: Channel, leaseSeconds: number) {
      const oldest = db
        .select({ id: table.id })
        .from(table)
        .where(and(eq(table.channel, channel), eq(table.state, 'pending')))
        .orderBy(table.id)
        .limit(1);
      const [row] = await db
        .update(table)
        .set(claimTry(table, leaseSeconds))
        .where(and(eq(table.id, sql`(${oldest})`), sql`${table.nextTryAt} <= now()`))
        .returning({ id: table.id, news: table.news, tries: table.tries });
      return row && { ...row, news: AlertNews.parse(row.news) };
    },

    /**
     * Records the outcome of a try, unless another process has claimed the message since.
     * @param error null: delivered
     * @param retryInSeconds undefined: no further try, so the next message follows
     */
    async settle({ id, tries }: Try, error: string | null, retryInSeconds?: number): Promise<void> {
      const nextTryAt = retryInSeconds === undefined ? undefined : sql`now() + ${retryInSeconds} * interval '1 second'`;
      await db
        .update(table)
        .set(tryOutcome(error, nextTryAt))
        .where(and(eq(table.id, id), eq(table.tries, tries)));
    },
  };
}

export interface Sender {
  /**
   * @param id the same for each try, so that receivers can recognise repeats
   * @throws Error with a message that contains no addresses
   */
  send(id: string, news: AlertNews): Promise<void>;
  close(): void;
}

export interface DeliveryContext {
  outbox: Outbox;
  /** Waits before each further try; after the last the message is given up. */
  retrySeconds: readonly number[];
  logger: Logger;
}

/** Longer than a try, so that only messages of dead processes are claimed again. */
const leaseSeconds = 120;

/** Sends the due messages of a channel in the order in which they were written; stops at the first failure. */
export async function deliver(channel: Channel, sender: Sender, context: DeliveryContext): Promise<void> {
  for (;;) {
    const due = await context.outbox.claim(channel, leaseSeconds);
    if (!due || !(await send(channel, due, sender, context))) return;
  }
}

/** @returns whether the next message may follow: this one is delivered or given up */
async function send(
  channel: Channel,
  message: DueMessage,
  sender: Sender,
  { outbox, retrySeconds, logger }: DeliveryContext,
): Promise<boolean> {
  const { id, news, tries } = message;
  const facts = {
    channel,
    messageId: id,
    try: tries,
    opened: news.opened.length,
    reminded: news.reminded.length,
    resolved: news.resolved.length,
  };
  try {
    await sender.send(id, news);
  } catch (error) {
    const retryInSeconds = retrySeconds[tries - 1];
    await outbox.settle(message, error instanceof Error ? error.message : String(error), retryInSeconds);
    if (retryInSeconds === undefined) logger.error({ ...facts, err: error }, 'alert message given up');
    else logger.warn({ ...facts, err: error, retryInSeconds }, 'alert message not delivered; will be retried');
    return retryInSeconds === undefined;
  }
  await outbox.settle(message, null);
  logger.info(facts, 'alert message delivered');
  return true;
}
