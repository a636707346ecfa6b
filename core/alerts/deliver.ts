/** Sends what is due on one channel: each message until it is taken, in the order in which they were written. */

import type { Logger } from '../telemetry/logger.ts';
import type { AlertNews, Channel } from './alert.ts';
import type { AlertMessages, DueMessage } from './outbox.ts';

export interface Sender {
  /**
   * @param id the same for each try: receivers tell repetitions by it
   * @throws Error whose message tells what went wrong, without addresses
   */
  send(id: string, news: AlertNews): Promise<void>;
  close(): void;
}

export interface DeliverParts {
  messages: AlertMessages;
  /** Waits before each further try; after the last the message is given up. */
  retrySeconds: readonly number[];
  logger: Logger;
}

/** Longer than a try can take, so that a message is taken over from a process that died, and from no other. */
const leaseSeconds = 120;

export async function deliver(channel: Channel, sender: Sender, parts: DeliverParts): Promise<void> {
  for (;;) {
    const due = await parts.messages.claim(channel, leaseSeconds);
    if (!due || !(await send(channel, due, sender, parts))) return;
  }
}

/** @returns whether the next message has its turn now */
async function send(
  channel: Channel,
  message: DueMessage,
  sender: Sender,
  { messages, retrySeconds, logger }: DeliverParts,
): Promise<boolean> {
  const { opened, reminded, resolved } = message.news;
  const facts = {
    channel,
    messageId: message.id,
    try: message.tries,
    opened: opened.length,
    reminded: reminded.length,
    resolved: resolved.length,
  };
  try {
    await sender.send(message.id, message.news);
  } catch (error) {
    const again = retrySeconds[message.tries - 1];
    await messages.failed(message, error instanceof Error ? error.message : String(error), again);
    if (again === undefined) logger.error({ ...facts, err: error }, 'alerts could not be told; given up');
    else logger.warn({ ...facts, err: error, againInSeconds: again }, 'alerts could not be told');
    return again === undefined;
  }
  await messages.delivered(message);
  logger.info(facts, 'alerts were told');
  return true;
}
