/** Listens to PostgreSQL notifications on a dedicated connection and reconnects when it is lost. */
import net from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';

const firstDelayMs = 100;
const maxDelayMs = 5_000;

type Callback = () => void | Promise<void>;

/**
 * Never rejects: reconnects after 0.1 to 5 s, and logs what the callbacks throw. Needs a real session: a pooler in
 * transaction mode drops LISTEN.
 * @param options.onConnect called after each connect, the first included. Earlier notifications may be missing: read the
 * state again.
 * @returns `close`, after which no callback is called
 */
export function listen(
  url: string,
  channel: string,
  onMessage: (payload: string) => void | Promise<void>,
  options: { logger: Logger; onConnect?: Callback },
): { close(): Promise<void> } {
  const { onConnect } = options;
  const logger = options.logger.child({ channel });
  const closing = new AbortController();

  const call = async (callback: Callback): Promise<void> => {
    if (closing.signal.aborted) return;
    try {
      await callback();
    } catch (error) {
      logger.error({ err: error }, 'the handler of a notification failed');
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
        logger.warn({ err: error }, 'lost the connection that listens to PostgreSQL; reconnecting');
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

/** Resolves when `signal` aborts; rejects when it cannot connect or loses the connection. */
async function listenOnce(
  url: string,
  channel: string,
  signal: AbortSignal,
  events: { connected: () => void; message: (payload: string) => void },
): Promise<void> {
  const socket = new net.Socket();
  const client = new pg.Client({
    connectionString: url,
    stream: () => socket,
    application_name: `listen ${channel}`,
    connectionTimeoutMillis: 10_000,
    // A listener sends nothing, so only keep-alive detects a dead peer.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  });
  const lost = new Promise<never>((_resolve, reject) => {
    client.on('error', reject);
    client.on('end', () => reject(new Error('PostgreSQL closed the connection')));
  });
  lost.catch(() => undefined); // Before it is awaited, `connect` and `query` reject with the same error.
  client.on('notification', ({ payload = '' }) => events.message(payload));

  // Not `client.end()`: it waits for the server's answer.
  const disconnect = () => socket.destroy();
  signal.addEventListener('abort', disconnect, { once: true });
  try {
    await client.connect();
    await client.query(`LISTEN ${client.escapeIdentifier(channel)}`);
    events.connected();
    await lost;
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', disconnect);
    disconnect();
  }
}

/** Exponential backoff with jitter, so that the processes do not reconnect at the same time. */
async function pause(failures: number, signal: AbortSignal): Promise<void> {
  const ceiling = Math.min(firstDelayMs * 2 ** failures, maxDelayMs);
  await wait(ceiling * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => undefined);
}
