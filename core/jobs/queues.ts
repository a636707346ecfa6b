/** The queues of one process, on Redis or in PostgreSQL: BullMQ behind one small factory. */
import {
  createPostgresBackend,
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
import { surviveLostConnections } from '../postgres/pool-errors.ts';
import { ofNobody } from '../telemetry/log-context.ts';
import { jobsStalled } from '../telemetry/meter.ts';
import { queueTelemetry } from '../telemetry/spans.ts';
import type { JobContract } from './contract.ts';

export type QueueBackend = 'redis' | 'postgres';
/** What the service uses of BullMQ's queue and worker, whatever their backend. */
export type JobQueue = Pick<
  Queue<unknown, unknown, string>,
  'name' | 'add' | 'getJob' | 'getJobCounts' | 'isPaused' | 'close'
>;
export type JobWorker = Pick<Worker<unknown, unknown, string>, 'name' | 'close' | 'isRunning'>;
export type JobProcessor = Processor<unknown, unknown, string>;

export interface Queues {
  backend: QueueBackend;
  /** How long nobody takes a job over from a worker that is not heard of, in ms, counted from its last sign of life. */
  patienceMs: number;
  /** The queue of a kind; opened at its first use and shared after that. */
  queue(contract: JobContract): JobQueue;
  /**
   * Takes jobs off a kind's queue until it is closed.
   * @param onGivenUp told of each message that was set aside without a run, because its workers kept dying
   */
  worker(contract: JobContract, processor: JobProcessor, onGivenUp: (jobId: string) => void): JobWorker;
  /** The same queue with all of BullMQ's methods, for Bull Board. */
  boardQueue(contract: JobContract): Queue;
  /** Closes the queues and their connections; close the workers first. */
  close(): Promise<void>;
}

/**
 * A worker that died is noticed within lock + stall check: 15 s at most, so that another one takes over well
 * inside 30 s. `runRetryDelay` must stay far below the lock, else jobs run twice after PostgreSQL restarts.
 */
export const workerTimes = {
  lockDuration: 10_000,
  stalledInterval: 5_000,
  maxStalledCount: 3,
  runRetryDelay: 1_000,
};

export type WorkerTimes = typeof workerTimes;

/** The same for a lock of so many seconds; half of it between two looks for workers that died. */
export const timesForLock = (seconds: number): WorkerTimes => ({
  ...workerTimes,
  lockDuration: seconds * 1_000,
  stalledInterval: seconds * 500,
});

/** Finished messages are kept a while for Bull Board; the job's row is kept longer and is the truth. */
const messageRetention = {
  removeOnComplete: { age: 24 * 3_600, count: 5_000 },
  removeOnFail: { age: 14 * 24 * 3_600, count: 5_000 },
};

/**
 * Messages need not be flushed to the disk one by one: the job's row is, and after a crash the sweeper brings back
 * what the queue lost. That saves the greater part of a request's time.
 */
const queueSession = '-c search_path=bullmq -c synchronous_commit=off';

/** A payload is small; BullMQ refuses anything larger, in bytes. */
const maxMessageBytes = 262_144;

export interface QueueAddresses {
  /** Queues on Redis when given. */
  redisUrl: string | undefined;
  databaseUrl: string;
  /** Separates installations, and tests, that share one Redis or one database. */
  prefix?: string;
}

/** @param times other than those above only where a test must not wait for them */
export async function openQueues(
  addresses: QueueAddresses,
  logger: Logger,
  times = workerTimes,
): Promise<Queues> {
  return addresses.redisUrl === undefined
    ? openPostgresQueues(addresses.databaseUrl, times, logger)
    : openRedisQueues(addresses.redisUrl, addresses.prefix ?? 'portal', times, logger);
}

function openRedisQueues(url: string, prefix: string, times: WorkerTimes, logger: Logger): Queues {
  const retryStrategy = (attempt: number) => Math.min(100 * 2 ** attempt, 2_000);
  // A producer must fail fast so that a request never hangs; a worker waits for Redis for ever.
  const producer = { url, maxRetriesPerRequest: 1, retryStrategy };
  const blocking = { url, maxRetriesPerRequest: null, retryStrategy };
  return bindQueues(
    'redis',
    withBackend(createRedisBackend),
    { producer, blocking, prefix, times },
    logger,
    async () => {},
  );
}

async function openPostgresQueues(
  connectionString: string,
  times: WorkerTimes,
  logger: Logger,
): Promise<Queues> {
  // BullMQ's own pools would take up to ten connections an object; a worker holds one of these for LISTEN.
  const pool = new pg.Pool({ connectionString, max: 20, keepAlive: true, options: queueSession });
  pool.setMaxListeners(100);
  surviveLostConnections(pool, reason =>
    logger.warn({ reason }, 'a queue connection to PostgreSQL was lost'),
  );
  const client = await pool.connect();
  try {
    await runMigrations(client, 'bullmq');
  } finally {
    client.release();
  }
  if (!isPgPool(pool)) throw new TypeError('BullMQ no longer takes a pg.Pool');
  return bindQueues(
    'postgres',
    withBackend(createPostgresBackend),
    { producer: pool, blocking: pool, times },
    logger,
    () => pool.end(),
  );
}

interface Connections<C> {
  producer: C;
  blocking: C;
  prefix?: string;
  times: WorkerTimes;
}

function bindQueues<B extends IQueueBackend, C>(
  backend: QueueBackend,
  classes: ReturnType<typeof withBackend<B, C>>,
  connections: Connections<C>,
  logger: Logger,
  closeConnections: () => Promise<void>,
): Queues {
  type OpenQueue = InstanceType<typeof classes.Queue<unknown, unknown, string>>;
  const opened = new Map<string, OpenQueue>();
  const telemetry = queueTelemetry();
  const shared = {
    ...(connections.prefix !== undefined && { prefix: connections.prefix }),
    ...(telemetry && { telemetry }),
  };

  const openQueue = (contract: JobContract): OpenQueue => {
    const queue = new classes.Queue<unknown, unknown, string>(contract.kind, {
      connection: connections.producer,
      ...shared,
      skipWaitingForReady: true,
      defaultJobOptions: { ...messageRetention, sizeLimit: maxMessageBytes },
    });
    queue.on(
      'error',
      ofNobody((error: Error) =>
        logger.warn({ err: error, queue: contract.kind }, 'the queue lost its connection'),
      ),
    );
    opened.set(contract.kind, queue);
    return queue;
  };

  const queueOf = (contract: JobContract): OpenQueue => opened.get(contract.kind) ?? openQueue(contract);

  return {
    backend,
    // Locks are renewed when half their time is over.
    patienceMs: connections.times.lockDuration / 2,
    queue: queueOf,
    // Bull Board's types know Redis queues only; its adapter uses nothing but the methods that both backends have.
    boardQueue: contract => queueOf(contract) as unknown as Queue,
    worker: (contract, processor, onGivenUp) => {
      const worker = new classes.Worker<unknown, unknown, string>(contract.kind, processor, {
        connection: connections.blocking,
        ...shared,
        ...connections.times,
        concurrency: contract.concurrency,
      });
      worker.on('error', error =>
        logger.warn({ err: error, queue: contract.kind }, 'the worker lost its connection'),
      );
      worker.on('stalled', () => jobsStalled.inc({ kind: contract.kind }));
      worker.on('failed', job => {
        // Only such a message has a failure that was decided before any run; the others' runs wrote their rows.
        if (job?.id !== undefined && job.deferredFailure !== undefined) onGivenUp(job.id);
      });
      return worker;
    },
    async close() {
      await Promise.all([...opened.values()].map(queue => queue.close()));
      await closeConnections();
    },
  };
}
