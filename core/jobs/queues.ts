/** The queues of a process: BullMQ on Redis or in PostgreSQL. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BackendFactory,
  ConnectionClosedError,
  createRedisBackend,
  type IQueueBackend,
  isPgPool,
  PostgresConnection,
  type PostgresConnectionOptions,
  PostgresQueueBackend,
  type Processor,
  type Queue,
  runMigrations,
  type Worker,
  withBackend,
} from 'bullmq';
import pg from 'pg';
import type { Logger } from 'pino';
import { queueConnections } from '../postgres/connections.ts';
import { handlePoolErrors, isQueryOutage } from '../postgres/pool-errors.ts';
import { type ConnectionOptions, connectRedis, type RedisAddress, taggedPrefix } from '../redis/connection.ts';
import { withoutLogContext } from '../telemetry/log-context.ts';
import { jobsStalled } from '../telemetry/meter.ts';
import { queueTelemetry } from '../telemetry/spans.ts';
import type { JobContract } from './contract.ts';

export type QueueBackend = 'redis' | 'postgres';
/** The part of BullMQ's queue and worker that the service uses with either backend. */
export type JobQueue = Pick<
  Queue<unknown, unknown, string>,
  'name' | 'add' | 'getJob' | 'getJobCounts' | 'isPaused' | 'close'
>;
export type JobWorker = Pick<Worker<unknown, unknown, string>, 'name' | 'close' | 'isRunning'>;
export type JobProcessor = Processor<unknown, unknown, string>;

export interface Queues {
  backend: QueueBackend;
  /** For this long after a worker's last heartbeat no other worker takes over its jobs. */
  takeoverDelayMs: number;
  /** The queue of a kind; opened at its first use. */
  queue(contract: JobContract): JobQueue;
  /**
   * Starts a worker that takes messages from a kind's queue until it is closed.
   * @param onGivenUp called for each message that the queue gave up because its workers kept dying
   */
  worker(contract: JobContract, processor: JobProcessor, onGivenUp: (jobId: string) => void): JobWorker;
  /** The same queue with all of BullMQ's methods, for Bull Board. */
  boardQueue(contract: JobContract): Queue;
  /** Closes the queues and their connections; close the workers first. */
  close(): Promise<void>;
}

/**
 * A dead worker is detected within lock + stall check, at most 15 s. `runRetryDelay` must stay far below the lock, or jobs
 * run twice after a restart of PostgreSQL.
 */
export const workerTimes = {
  lockDuration: 10_000,
  stalledInterval: 5_000,
  maxStalledCount: 3,
  runRetryDelay: 1_000,
};

export type WorkerTimes = typeof workerTimes;

/** The times for another lock duration; the stall check runs twice within it. */
export const timesForLock = (seconds: number): WorkerTimes => ({
  ...workerTimes,
  lockDuration: seconds * 1_000,
  stalledInterval: seconds * 500,
});

/** Finished messages are kept for Bull Board; the job's row is authoritative and kept longer. */
const messageRetention = {
  removeOnComplete: { age: 24 * 3_600, count: 5_000 },
  removeOnFail: { age: 14 * 24 * 3_600, count: 5_000 },
};

/**
 * Messages are not flushed to the disk one by one, which saves most of a request's time: the job's row is flushed, and
 * after a crash the reconciler requeues what the queue lost.
 */
const queueSession = '-c search_path=bullmq -c synchronous_commit=off';

/** BullMQ rejects larger payloads. */
const maxMessageBytes = 262_144;

export interface QueueAddresses {
  /** Undefined: queues in PostgreSQL. */
  redis: RedisAddress | undefined;
  /** Of PostgreSQL itself: BullMQ listens and sets a schema path, which need a session. */
  databaseUrl: string;
  /** Separates installations and tests that share one Redis. */
  prefix?: string;
}

export async function openQueues(addresses: QueueAddresses, logger: Logger, times = workerTimes): Promise<Queues> {
  return addresses.redis === undefined
    ? openPostgresQueues(addresses.databaseUrl, times, logger)
    : openRedisQueues(addresses.redis, addresses.prefix ?? 'portal', times, logger);
}

function openRedisQueues(address: RedisAddress, prefix: string, times: WorkerTimes, logger: Logger): Queues {
  const retryStrategy = (attempt: number) => Math.min(100 * 2 ** attempt, 2_000);
  // A producer fails fast so that no request hangs; a worker waits for Redis indefinitely.
  const connect = (options: ConnectionOptions) =>
    // Queues and workers report the errors of the connections they use.
    connectRedis(address, { retryStrategy, ...options }).on('error', () => undefined);
  const producer = connect({ maxRetriesPerRequest: 1, lazyConnect: true });
  let blocking: ReturnType<typeof connect> | undefined;
  // With `lazyConnect` a worker would never take a job after a first connect that failed: BullMQ keeps its error.
  const openBlocking = () => {
    blocking ??= connect({ maxRetriesPerRequest: null });
    return blocking;
  };
  return bindQueues(
    'redis',
    withBackend(createRedisBackend),
    { producer, openBlocking, prefixOf: kind => taggedPrefix(address, prefix, kind), times },
    logger,
    async () => {
      producer.disconnect();
      blocking?.disconnect();
    },
  );
}

async function openPostgresQueues(connectionString: string, times: WorkerTimes, logger: Logger): Promise<Queues> {
  // BullMQ's own pools would use up to ten connections per object; a worker holds one of this pool for LISTEN.
  const pool = new pg.Pool({ connectionString, max: queueConnections, keepAlive: true, options: queueSession });
  pool.setMaxListeners(100);
  handlePoolErrors(pool, reason => logger.warn({ reason }, 'a queue connection to PostgreSQL was lost'));
  const client = await pool.connect();
  try {
    await runMigrations(client, 'bullmq');
  } finally {
    client.release();
  }
  pauseInOutages(pool);
  if (!isPgPool(pool)) throw new TypeError('BullMQ no longer accepts a pg.Pool');
  return bindQueues(
    'postgres',
    withBackend(createMigratedBackend),
    { producer: pool, openBlocking: () => pool, times },
    logger,
    () => pool.end(),
  );
}

/**
 * BullMQ tries again at once after most errors of an outage, such as those of a server that is starting; a second after a
 * closed connection; and 0.1 s after a failed connect of a worker, which it reports each time.
 */
function pauseInOutages(pool: pg.Pool): void {
  const { connect, query } = pool;
  const closed = (error: unknown) => new ConnectionClosedError('PostgreSQL is unavailable.', error);
  Object.assign(pool, {
    query: async (...given: unknown[]) => {
      try {
        return await Reflect.apply(query, pool, given);
      } catch (error) {
        throw isQueryOutage(error) ? closed(error) : error;
      }
    },
    connect: async (...given: unknown[]) => {
      // `query` passes a callback and fails at once.
      if (given.length > 0) return Reflect.apply(connect, pool, given);
      try {
        return await Reflect.apply(connect, pool, []);
      } catch (error) {
        if (!isQueryOutage(error)) throw error;
        await sleep(workerTimes.runRetryDelay);
        throw closed(error);
      }
    },
  });
}

/**
 * Of a migrated database. BullMQ's class checks the migrations with the first operation and keeps the error of a failed
 * check: after an outage at that moment all operations fail, and a worker repeats them without a pause (bullmq 6.7.0,
 * `PostgresConnection.waitUntilReady`).
 */
class MigratedConnection extends PostgresConnection {
  override async waitUntilReady(): Promise<void> {}
}

const createMigratedBackend: BackendFactory<PostgresQueueBackend, PostgresConnectionOptions> = (
  kind,
  options,
  { withBlockingConnection } = {},
) => {
  const connection = new MigratedConnection(options.connection);
  return new PostgresQueueBackend(connection, kind, options, true, withBlockingConnection ? kind : undefined);
};

interface Connections<C> {
  producer: C;
  /** Of workers. */
  openBlocking(): C;
  /** Of the keys of a kind. */
  prefixOf?: (kind: string) => string;
  times: WorkerTimes;
}

function bindQueues<B extends IQueueBackend, C>(
  backend: QueueBackend,
  classes: ReturnType<typeof withBackend<B, C>>,
  { producer, openBlocking, prefixOf, times }: Connections<C>,
  logger: Logger,
  closeConnections: () => Promise<void>,
): Queues {
  type OpenQueue = InstanceType<typeof classes.Queue<unknown, unknown, string>>;
  const opened = new Map<string, OpenQueue>();
  const telemetry = queueTelemetry();
  const sharedBy = (kind: string) => ({ ...(prefixOf && { prefix: prefixOf(kind) }), ...(telemetry && { telemetry }) });

  const createQueue = (kind: string): OpenQueue => {
    const queue = new classes.Queue<unknown, unknown, string>(kind, {
      connection: producer,
      ...sharedBy(kind),
      skipWaitingForReady: true,
      defaultJobOptions: { ...messageRetention, sizeLimit: maxMessageBytes },
    });
    const logError = (error: Error) => logger.warn({ err: error, queue: kind }, 'the queue lost its connection');
    queue.on('error', withoutLogContext(logError));
    return queue;
  };

  const openQueue = ({ kind }: JobContract): OpenQueue => {
    const queue = replacedAfterFailure(() => createQueue(kind), logger);
    opened.set(kind, queue);
    return queue;
  };

  const openWorker: Queues['worker'] = ({ kind, concurrency }, processor, onGivenUp) => {
    const worker = new classes.Worker<unknown, unknown, string>(kind, processor, {
      connection: openBlocking(),
      ...sharedBy(kind),
      ...times,
      concurrency,
    });
    worker.on('error', error => logger.warn({ err: error, queue: kind }, 'the worker lost its connection'));
    worker.on('stalled', () => jobsStalled.inc({ kind }));
    worker.on('failed', job => {
      // Only given-up messages have a failure decided before a run; otherwise the run has written its row.
      if (job?.id !== undefined && job.deferredFailure !== undefined) onGivenUp(job.id);
    });
    return worker;
  };

  const queueOf = (contract: JobContract): OpenQueue => opened.get(contract.kind) ?? openQueue(contract);
  return {
    backend,
    // Workers renew a lock after half of its time.
    takeoverDelayMs: times.lockDuration / 2,
    queue: queueOf,
    // Bull Board's types accept Redis queues only; its adapter uses only methods that both backends have.
    boardQueue: contract => queueOf(contract) as unknown as Queue,
    worker: openWorker,
    async close() {
      await Promise.all([...opened.values()].map(queue => queue.close()));
      await closeConnections();
    },
  };
}

/**
 * BullMQ keeps the error of a first connect that failed, and all operations of the queue fail with it from then on (bullmq
 * 6.7.0, `RedisConnection.init`). The result uses another queue then.
 */
function replacedAfterFailure<Opened extends Pick<Queue, 'waitUntilReady' | 'close'>>(
  create: () => Opened,
  logger: Logger,
): Opened {
  const open = (): Opened => {
    const queue = create();
    queue
      .waitUntilReady()
      .catch(() => {
        if (current === queue) current = undefined;
        return queue.close();
      })
      .catch(error => logger.debug({ err: error }, 'a queue that never connected was not closed'));
    return queue;
  };
  let current: Opened | undefined = open();
  return new Proxy(current, {
    get(_, name) {
      current ??= open();
      const member: unknown = Reflect.get(current, name);
      return typeof member === 'function' ? member.bind(current) : member;
    },
  });
}
