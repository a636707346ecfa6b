/** Sends the notifications of the outbox by mail and webhook. */
import { and, eq, sql } from 'drizzle-orm';
import { signMessage } from '../callbacks/sign.ts';
import { openMailSender } from '../mail/template.ts';
import type { Database } from '../postgres/client.ts';
import { claimTry, tryOutcome } from '../postgres/outbox.ts';
import { codeOf } from '../runtime/error-code.ts';
import { startInterval } from '../runtime/interval.ts';
import { userAgent } from '../runtime/version.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { NotifyConfig } from './config.ts';
import { type Channel, mailView, type NotificationMessage } from './notification.ts';
import { notificationTable as table } from './schema.ts';

/** @param id the same for each try, by which receivers recognise repeats @throws Error without addresses in its message */
type Send = (id: string, message: NotificationMessage) => Promise<void>;

/** Waits before each further try, about 27 hours in total; after the last the notification is given up. */
const defaultRetrySeconds = [5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800, 43_200];
const timeoutMs = 15_000;
/** Longer than a try, so that only notifications of dead processes are claimed again. */
const leaseSeconds = 240;

/** Any number of processes may deliver: one of them sends each notification. @param page address of the operations pages */
export async function startNotifications(
  { database, logger }: { database: Database; logger: Logger },
  config: NotifyConfig,
  page: string,
  { everyMs = 5_000, retrySeconds = defaultRetrySeconds } = {},
) {
  const senders = new Map<Channel, Send>();
  const { NOTIFY_WEBHOOK_URL: url, NOTIFY_MAIL_TO: to = [] } = config;
  if (url !== undefined) senders.set('webhook', (id, message) => post(url, id, message, config.NOTIFY_WEBHOOK_SECRET));
  const mail = await openMailSender('notification', { ...config, to }, logger);
  if (mail) senders.set('mail', (id, message) => mail.send(id, mailView(message).subject, mailView(message)));
  const deliveries = [...senders].map(([channel, send]) =>
    startInterval(`notifications by ${channel}`, everyMs, logger, async () => {
      for (let due = await claim(database, channel); due; due = await claim(database, channel)) {
        const error = await send(due.id, messageOf(due, page)).then(() => null, textOf);
        await settle(database, due, error, retrySeconds[due.tries - 1]);
        const facts = { channel, topic: due.topic, try: due.tries };
        if (error === null) logger.info(facts, 'notification delivered');
        else logger.warn({ ...facts, reason: error }, 'notification not delivered');
      }
    }),
  );
  return {
    async stop(): Promise<void> {
      await Promise.all(deliveries.map(delivery => delivery.stop()));
      mail?.close();
    },
  };
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

type Row = typeof table.$inferSelect;

function messageOf({ content, count, createdAt }: Row, page: string): NotificationMessage {
  const { title, detail, path, places } = content;
  const data = { title, detail, count, since: createdAt.toISOString(), url: page + path, places };
  return { type: 'notification', timestamp: new Date().toISOString(), data };
}

/** Claims the oldest due notification of the channel. A process that dies has used a try. */
async function claim(db: Database, channel: Channel): Promise<Row | undefined> {
  const isDue = and(eq(table.channel, channel), eq(table.state, 'pending'), sql`${table.nextTryAt} <= now()`);
  const due = db.select({ id: table.id }).from(table).where(isDue).orderBy(table.id).limit(1);
  const claimed = sql`${table.id} = (${due.for('update', { skipLocked: true })})`;
  const [row] = await db.update(table).set(claimTry(table, leaseSeconds)).where(claimed).returning();
  return row;
}

/** Records the outcome, unless another process has claimed the notification since. */
async function settle(db: Database, { id, tries }: Row, error: string | null, retrySeconds?: number): Promise<void> {
  const nextTryAt = retrySeconds === undefined ? undefined : sql`now() + ${retrySeconds} * interval '1 second'`;
  await db
    .update(table)
    .set(tryOutcome(error, nextTryAt))
    .where(and(eq(table.id, id), eq(table.tries, tries)));
}

/** Without the guarded fetcher: the operator chose the address, and it may be in the own network. */
async function post(url: string, id: string, message: NotificationMessage, secret?: string): Promise<void> {
  const body = JSON.stringify(message);
  const signed = secret === undefined ? {} : signMessage(id, body, [secret], new Date());
  const headers = { 'content-type': 'application/json', 'user-agent': userAgent, ...signed };
  const signal = AbortSignal.timeout(timeoutMs);
  const sent = fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
  const response = await sent.catch((error: unknown) => {
    // fetch throws `fetch failed`; the code of its cause says what failed.
    const code = error instanceof TypeError ? codeOf(error.cause) : '';
    throw new Error(`the receiver did not answer (${code || `within ${timeoutMs / 1_000} s`})`, { cause: error });
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the receiver answered ${response.status}`);
}
