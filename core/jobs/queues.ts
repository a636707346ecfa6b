/** The queues of a process: BullMQ on Redis or in PostgreSQL. */
import {
  createRedisBackend,
  type IQueueBackend,
  isPgPool,
  type Processor,
  type Queue,
  runMigrations,
  type Worker,
  withBackend,
} from 'bullmq';
import pg from 'pg';
import type { Logger } from 'pino';
import { queueConnections } from '../postgres/connections.ts';
import { handlePoolErrors } from '../postgres/pool-errors.ts';
import { type ConnectionOptions, connectRedis, type RedisAddress, taggedPrefix } from '../redis/connection.ts';
import { withoutLogContext } from '../telemetry/log-context.ts';
import { jobsStalled } from '../telemetry/meter.ts';
import { queueTelemetry } from '../telemetry/spans.ts';
import { createMigratedBackend, pauseInOutages, replacedAfterFailure } from './bullmq-workarounds.ts';
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
  /** The address of PostgreSQL itself: BullMQ listens and sets a schema path, which need a session. */
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
  const prefixOf = (kind: string) => taggedPrefix(address, prefix, kind);
  const close = async () => {
    producer.disconnect();
    blocking?.disconnect();
  };
  return bindQueues(
    'redis',
    withBackend(createRedisBackend),
    { producer, openBlocking, prefixOf, times, close },
    logger,
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
  pauseInOutages(pool, workerTimes.runRetryDelay);
  if (!isPgPool(pool)) throw new TypeError('BullMQ no longer accepts a pg.Pool');
  const connections = { producer: pool, openBlocking: () => pool, times, close: () => pool.end() };
  return bindQueues('postgres', withBackend(createMigratedBackend), connections, logger);
}

interface Connections<C> {
  producer: C;
  /** The connection of workers. */
  openBlocking(): C;
  /** The prefix of a kind's keys. */
  prefixOf?: (kind: string) => string;
  times: WorkerTimes;
  close(): Promise<void>;
}

function bindQueues<B extends IQueueBackend, C>(
  backend: QueueBackend,
  classes: ReturnType<typeof withBackend<B, C>>,
  connections: Connections<C>,
  logger: Logger,
): Queues {
  const { producer, openBlocking, prefixOf, times } = connections;
  type OpenQueue = InstanceType<typeof classes.Queue<unknown, unknown, string>>;
  const opened = new Map<string, OpenQueue>();
  const telemetry = queueTelemetry();
  const sharedBy = (kind: string) => ({ ...(prefixOf && { prefix: prefixOf(kind) }), ...(telemetry && { telemetry }) });

  function createQueue(kind: string): OpenQueue {
    const queue = new classes.Queue<unknown, unknown, string>(kind, {
      connection: producer,
      ...sharedBy(kind),
      skipWaitingForReady: true,
      defaultJobOptions: { ...messageRetention, sizeLimit: maxMessageBytes },
    });
    const logError = (error: Error) => logger.warn({ err: error, queue: kind }, 'the queue lost its connection');
    queue.on('error', withoutLogContext(logError));
    return queue;
  }

  function queueOf({ kind }: JobContract): OpenQueue {
    const known = opened.get(kind);
    if (known) return known;
    const queue = replacedAfterFailure(() => createQueue(kind), logger);
    opened.set(kind, queue);
    return queue;
  }

  function openWorker(
    { kind, concurrency }: JobContract,
    processor: JobProcessor,
    onGivenUp: (jobId: string) => void,
  ): JobWorker {
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
  }

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
      await connections.close();
    },
  };
}
