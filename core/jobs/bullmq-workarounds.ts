/**
 * Work-arounds for three behaviours of BullMQ 6.7.0, each deleted when BullMQ no longer has it:
 *
 * - `pauseInOutages`: queues in PostgreSQL repeat a failed query without a pause.
 * - `createMigratedBackend`: `PostgresConnection.waitUntilReady` keeps the error of its first check.
 * - `replacedAfterFailure`: `RedisConnection.init` keeps the error of its first connect.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BackendFactory,
  ConnectionClosedError,
  PostgresConnection,
  type PostgresConnectionOptions,
  PostgresQueueBackend,
  type Queue,
} from 'bullmq';
import type pg from 'pg';
import type { Logger } from 'pino';
import { isQueryOutage } from '../postgres/pool-errors.ts';

/**
 * Upstream: a worker pauses for `runRetryDelay` only after a `ConnectionClosedError`. It repeats at once what failed with
 * another error of an outage, such as that of a server that is starting, and after 0.1 s a failed connect, which it reports
 * each time. Here all of them are `ConnectionClosedError`, and a failed connect takes `delayMs`.
 */
export function pauseInOutages(pool: pg.Pool, delayMs: number): void {
  const { connect, query } = pool;
  const closed = (error: unknown) => new ConnectionClosedError('PostgreSQL is unavailable.', error);

  async function queryOrClosed(...given: unknown[]): Promise<unknown> {
    try {
      return await Reflect.apply(query, pool, given);
    } catch (error) {
      throw isQueryOutage(error) ? closed(error) : error;
    }
  }

  async function connectOrClosed(...given: unknown[]): Promise<unknown> {
    // `pool.query` connects with a callback; `queryOrClosed` handles its error.
    const isFromQuery = given.length > 0;
    if (isFromQuery) return Reflect.apply(connect, pool, given);
    try {
      return await Reflect.apply(connect, pool, []);
    } catch (error) {
      if (!isQueryOutage(error)) throw error;
      await sleep(delayMs);
      throw closed(error);
    }
  }

  Object.assign(pool, { query: queryOrClosed, connect: connectOrClosed });
}

/**
 * Upstream: the first operation checks the migrations and keeps the error of a failed check, so after an outage at that
 * moment all operations fail, and a worker repeats them without a pause. Here the database is migrated before.
 */
class MigratedConnection extends PostgresConnection {
  override async waitUntilReady(): Promise<void> {}
}

export const createMigratedBackend: BackendFactory<PostgresQueueBackend, PostgresConnectionOptions> = (
  kind,
  options,
  { withBlockingConnection } = {},
) => {
  const connection = new MigratedConnection(options.connection);
  return new PostgresQueueBackend(connection, kind, options, true, withBlockingConnection ? kind : undefined);
};

/**
 * Upstream: a queue keeps the error of a first connect that failed, and all its operations fail with it from then on. Here
 * the result stands for a queue that is closed after such a failure, and created again at its next use.
 */
export function replacedAfterFailure<Opened extends Pick<Queue, 'waitUntilReady' | 'close'>>(
  create: () => Opened,
  logger: Logger,
): Opened {
  let current: Opened | undefined;

  function open(): Opened {
    const queue = create();
    current = queue;
    void closeAfterFailure(queue);
    return queue;
  }

  async function closeAfterFailure(queue: Opened): Promise<void> {
    try {
      await queue.waitUntilReady();
    } catch {
      // The queue has reported the error.
      if (current === queue) current = undefined;
      await queue.close().catch(error => logger.debug({ err: error }, 'a queue that never connected was not closed'));
    }
  }

  return new Proxy(open(), {
    get(_, name) {
      const queue = current ?? open();
      const member: unknown = Reflect.get(queue, name);
      return typeof member === 'function' ? member.bind(queue) : member;
    },
  });
}
