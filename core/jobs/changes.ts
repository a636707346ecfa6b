/**
 * Announces changes of jobs to other processes: through Redis when there is one, else through PostgreSQL. An announcement
 * may be lost, so receivers poll as well.
 */
import { sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { Database } from '../postgres/client.ts';
import { listen } from '../postgres/listen.ts';
import { connectRedis, type RedisAddress } from '../redis/connection.ts';
import { withoutLogContext } from '../telemetry/log-context.ts';

/** A change that callers see; a reason to stop the job's run; an end with a callback. */
export type JobChange = 'job' | 'job_stop' | 'job_callback';

export interface JobChanges {
  /** Call it after the commit. Never rejects. */
  announce(change: JobChange, jobId: string): void;
  subscribe(change: JobChange, onChange: (jobId: string) => void): { close(): Promise<void> };
  /** Sends what is left; close the subscriptions first. */
  close(): Promise<void>;
}

/** Sends the ids of a change's jobs to its subscribers. */
type Send = (change: JobChange, jobIds: readonly string[]) => Promise<unknown>;

export interface JobChangesOptions {
  /** Undefined: through PostgreSQL. */
  redis: RedisAddress | undefined;
  database: Pick<Database, 'execute' | 'directUrl'>;
  /** Separates installations and tests that share one Redis. */
  prefix?: string;
  logger: Logger;
}

export function openJobChanges(options: JobChangesOptions): JobChanges {
  const { redis, database, prefix = 'portal', logger } = options;
  if (redis) return overRedis(redis, prefix, logger);
  // Nothing is lost with a notification, so its commit needs no flush to the disk.
  const send: Send = (change, jobIds) =>
    database.execute(sql`
      with unflushed as (select set_config('synchronous_commit', 'off', true))
      select pg_notify(${change}, id) from unflushed, unnest(${sql.param([...jobIds])}::text[]) as id`);
  return {
    ...inBatches(send, logger),
    subscribe: (change, onChange) => listen(database.directUrl, change, onChange, { logger }),
  };
}

const JobIds = z.array(z.string());

function overRedis(address: RedisAddress, prefix: string, logger: Logger): JobChanges {
  const connect = (maxRetriesPerRequest: number | null) =>
    connectRedis(address, { maxRetriesPerRequest, lazyConnect: true }).on(
      'error',
      withoutLogContext((error: Error) => logger.warn({ err: error }, 'the changes of jobs lost their Redis')),
    );
  const sender = connect(1);
  const channelOf = (change: JobChange): string => `${prefix}:changes:${change}`;
  const { announce, close } = inBatches(
    (change, ids) => sender.publish(channelOf(change), JSON.stringify(ids)),
    logger,
  );
  return {
    announce,
    subscribe(change, onChange) {
      const receiver = connect(null);
      receiver.on('message', (_channel, ids) => JobIds.parse(JSON.parse(ids)).forEach(onChange));
      // ioredis subscribes again after each reconnect; a failure ends in its `error` event.
      receiver.subscribe(channelOf(change)).catch(() => undefined);
      return { close: async () => receiver.disconnect() };
    },
    async close() {
      await close();
      sender.disconnect();
    },
  };
}

/**
 * Minimum time between two sends of a process. Commits that notify take one lock of the whole database, one after the
 * other, so they must be few.
 */
const sendEveryMs = 20;

function inBatches(send: Send, logger: Logger): Pick<JobChanges, 'announce' | 'close'> {
  let waiting = new Map<JobChange, Set<string>>();
  let sending: Promise<void> | undefined;

  async function sendAll(): Promise<void> {
    while (waiting.size > 0) {
      const batch = waiting;
      waiting = new Map();
      const pause = new Promise(resolve => setTimeout(resolve, sendEveryMs));
      await Promise.all([...batch].map(([change, ids]) => send(change, [...ids]))).catch(error =>
        logger.debug({ err: error }, 'changes of jobs were not announced; receivers poll'),
      );
      await pause;
    }
    sending = undefined;
  }

  return {
    announce(change, jobId) {
      waiting.set(change, (waiting.get(change) ?? new Set()).add(jobId));
      sending ??= sendAll();
    },
    close: async () => sending,
  };
}
