/** Hears PostgreSQL's notifications on a connection of its own, which it makes anew for ever when it is lost. */
import net from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';

const firstDelayMs = 100;
const longestDelayMs = 5_000;

export interface ListenOptions {
  logger: Logger;
  /**
   * Called each time the connection stands, the first time too: whatever was notified before may have been missed,
   * so read the state again.
   */
  onConnect?: () => void | Promise<void>;
}

export interface Listening {
  /** After it, nothing is called any more. */
  close(): Promise<void>;
}

/**
 * Listens to `channel`. Never rejects: a server that cannot be reached is tried again after 0.1 to 5 s, and what
 * `onMessage` throws is logged. Needs a real session: a pooler in transaction mode drops LISTEN.
 */
export function listen(
  url: string,
  channel: string,
  onMessage: (payload: string) => void | Promise<void>,
  options: ListenOptions,
): Listening {
  const { onConnect } = options;
  const logger = options.logger.child({ channel });
  const closing = new AbortController();

  const call = async (callback: () => void | Promise<void>): Promise<void> => {
    if (closing.signal.aborted) return;
    try {
      await callback();
    } catch (error) {
      logger.error({ err: error }, 'what a notification set off failed');
    }
  };

  const stayConnected = async (): Promise<void> => {
    let failures = 0;
    while (!closing.signal.aborted) {
      try {
        await listenOnce(url, channel, closing.signal, {
          connected: () => {
            failures = 0;
            if (onConnect) void call(onConnect);
          },
          message: payload => void call(() => onMessage(payload)),
        });
      } catch (error) {
        logger.warn({ err: error }, 'the connection that listens to PostgreSQL is lost; it is made again');
      }
      await pause(failures, closing.signal);
      failures += 1;
    }
  };

  const done = stayConnected();
  return {
    close: () => {
      closing.abort();
      return done;
    },
  };
}

interface Events {
  connected: () => void;
  message: (payload: string) => void;
}

/** Resolves once `signal` has ended it; rejects when the connection cannot be made or is lost. */
async function listenOnce(url: string, channel: string, signal: AbortSignal, events: Events): Promise<void> {
  const socket = new net.Socket();
  const client = new pg.Client({
    connectionString: url,
    stream: () => socket,
    application_name: `listen ${channel}`,
    connectionTimeoutMillis: 10_000,
    // A listener sends nothing, so only keep-alive tells it that the other side is gone.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  });
  const lost = new Promise<never>((_resolve, reject) => {
    client.on('error', reject);
    client.on('end', () => reject(new Error('PostgreSQL closed the connection')));
  });
  lost.catch(() => undefined); // Until it is awaited, `connect` and `query` reject with the same.
  client.on('notification', ({ payload = '' }) => events.message(payload));

  // Not `client.end()`: it waits for a server that may never answer.
  const hangUp = () => socket.destroy();
  signal.addEventListener('abort', hangUp, { once: true });
  try {
    await client.connect();
    await client.query(`LISTEN ${client.escapeIdentifier(channel)}`);
    events.connected();
    await lost;
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', hangUp);
    hangUp();
  }
}

/** Doubles with each failure in a row; jitter keeps the processes from coming back all at once. */
async function pause(failures: number, signal: AbortSignal): Promise<void> {
  const ceiling = Math.min(firstDelayMs * 2 ** failures, longestDelayMs);
  await wait(ceiling * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => undefined);
}
