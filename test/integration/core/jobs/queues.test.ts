/** Queues on both backends: messages, workers, and messages that the queue gives up. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { z } from 'zod';
import { defineJob } from '../../../../core/jobs/contract.ts';
import { openQueues, type Queues, timesForLock, workerTimes } from '../../../../core/jobs/queues.ts';
import { connectRedis, RedisConfig, redisAddress } from '../../../../core/redis/connection.ts';
import { readConfig } from '../../../../core/runtime/config.ts';
import { jobsStalled } from '../../../../core/telemetry/meter.ts';
import { gate } from '../../../support/gate.ts';
import { startTcpProxy } from '../../../support/tcp-proxy.ts';
import { openTestDatabase } from '../../../support/test-database.ts';

const redisUrl = inject('redisUrl');
const backends = redisUrl === undefined ? (['postgres'] as const) : (['postgres', 'redis'] as const);
const logger = pino({ level: 'silent' });
const contract = (kind: string, concurrency = 1) =>
  defineJob({
    kind,
    summary: 'Does nothing.',
    payload: z.object({}),
    result: z.object({}),
    attempts: 4,
    backoffMs: 250,
    timeoutMs: 60_000,
    concurrency,
  });
const addressOf = (url: string | undefined) => redisAddress(readConfig(RedisConfig, { REDIS_URL: url }));

describe.each(backends)('queues on %s', backend => {
  let closeDatabase: () => Promise<void>;
  let databaseUrl: string;
  let queues: Queues;
  let kind: string;
  const workers: { close(force?: boolean): Promise<void> }[] = [];

  const open = (prefix = randomUUID(), times?: typeof workerTimes) =>
    openQueues({ redis: backend === 'redis' ? addressOf(redisUrl) : undefined, databaseUrl, prefix }, logger, times);

  beforeAll(async () => {
    ({ url: databaseUrl, close: closeDatabase } = await openTestDatabase(`queues ${backend}`));
    // Dead workers are detected within a second.
    queues = await open(undefined, { ...workerTimes, lockDuration: 600, stalledInterval: 200, maxStalledCount: 1 });
  });
  afterAll(async () => {
    await queues?.close();
    await closeDatabase?.();
  });
  beforeEach(() => {
    kind = `kind-${randomUUID()}`;
  });
  afterEach(() => Promise.all(workers.splice(0).map(worker => worker.close(true))));

  const start = (given: Parameters<Queues['worker']>) => {
    const worker = queues.worker(...given);
    workers.push(worker);
    return worker;
  };
  const add = (jobId: string, payload: unknown = {}) => queues.queue(contract(kind)).add(kind, payload, { jobId });
  const stateOf = async (jobId: string) => (await queues.queue(contract(kind)).getJob(jobId))?.getState();

  it('are opened once per kind, and known by their backend', async () => {
    expect(queues.backend).toBe(backend);
    const queue = queues.queue(contract(kind));
    expect(queue.name).toBe(kind);
    expect(queues.queue(contract(kind))).toBe(queue);
    expect(queues.boardQueue(contract(kind))).toBe(queue);
    expect(queues.queue(contract(`${kind}-other`))).not.toBe(queue);
  });

  it('let no other worker take over a job until half of the lock has passed', async () => {
    expect(queues.takeoverDelayMs).toBe(300);
    const usual = await open();
    expect(usual.takeoverDelayMs).toBe(5_000);
    await usual.close();
  });

  it('pass each message to a worker, and keep it for Bull Board', async () => {
    const seen: unknown[] = [];
    await add('a', { list: [1] });
    start([contract(kind), async message => void seen.push([message.id, message.data]), () => undefined]);
    await expect.poll(() => stateOf('a')).toBe('completed');
    expect(seen).toEqual([['a', { list: [1] }]]);
    expect((await queues.boardQueue(contract(kind)).getJob('a'))?.opts).toMatchObject({
      removeOnComplete: { age: 86_400, count: 5_000 },
      removeOnFail: { age: 1_209_600, count: 5_000 },
    });
  });

  it('pass as many messages at once as the kind allows', async () => {
    const { open: release, opened } = gate();
    let running = 0;
    for (const id of ['a', 'b', 'c']) await add(id);
    const processor = async () => {
      running += 1;
      await opened;
      running -= 1;
    };
    start([contract(kind, 2), processor, () => undefined]);
    await expect.poll(() => running).toBe(2);
    expect(await queues.queue(contract(kind)).getJobCounts('waiting', 'active')).toMatchObject({
      waiting: 1,
      active: 2,
    });
    release();
    await expect.poll(() => stateOf('c')).toBe('completed');
  });

  it('reject payloads of more than 256 KiB', async () => {
    await add('small', 'x'.repeat(262_000));
    await expect(add('large', 'x'.repeat(263_000))).rejects.toThrow('size');
  });

  it('give up a message whose workers keep dying, and count each death', async () => {
    const stalled = async () => (await jobsStalled.get()).values.find(({ labels }) => labels.kind === kind)?.value ?? 0;
    const givenUp = vi.fn();
    await add('deadly');
    const dies = async () => {
      const { open: take, opened: taken } = gate();
      const worker = queues.worker(
        contract(kind),
        () => {
          take();
          return new Promise(() => undefined);
        },
        givenUp,
      );
      await taken;
      await worker.close(true);
    };
    await dies();
    await dies();
    const processor = vi.fn();
    start([contract(kind), processor, givenUp]);
    await expect.poll(() => givenUp.mock.calls).toEqual([['deadly']]);
    expect(processor).not.toHaveBeenCalled();
    expect(await stalled()).toBeGreaterThanOrEqual(1);
  });

  it('do not give up a message whose run fails', async () => {
    const givenUp = vi.fn();
    await add('fails');
    start([contract(kind), () => Promise.reject(new Error('It broke.')), givenUp]);
    await expect.poll(() => stateOf('fails')).toBe('failed');
    expect(givenUp).not.toHaveBeenCalled();
  });
});

describe.each(backends)('queues on %s during an outage', backend => {
  it.each(['cut', 'reset'] as const)('that begin in it work after it (%s)', async outage => {
    const { url, close } = await openTestDatabase(`queues ${outage}`);
    const proxy = await startTcpProxy(backend === 'redis' ? (redisUrl ?? '') : url);
    const addresses =
      backend === 'redis'
        ? { redis: addressOf(proxy.url), databaseUrl: url }
        : { redis: undefined, databaseUrl: proxy.url };
    const queues = await openQueues({ ...addresses, prefix: randomUUID() }, logger);
    await proxy[outage]();
    const warn = vi.spyOn(logger, 'warn');
    const done = vi.fn(async () => undefined);
    const worker = queues.worker(contract('trial'), done, () => undefined);
    const queue = queues.queue(contract('trial'));
    await expect(queue.add('trial', {}, { jobId: 'a' })).rejects.toThrow();
    await sleep(1_500);
    // It tries again after pauses.
    expect(warn.mock.calls.length).toBeLessThan(backend === 'redis' ? 40 : 5);
    await proxy.restore();
    await expect.poll(() => queue.add('trial', {}, { jobId: 'b' }).catch(() => undefined)).toBeDefined();
    await expect.poll(() => done.mock.calls.length).toBe(1);
    warn.mockRestore();
    await worker.close();
    await queues.close();
    await proxy.close();
    await close();
  });
});

describe('the connections of queues in PostgreSQL', () => {
  const openOn = async (name: string) => {
    const { database, url: databaseUrl, close } = await openTestDatabase(name);
    const warn = vi.spyOn(logger, 'warn');
    const queues = await openQueues({ redis: undefined, databaseUrl }, logger);
    await queues.queue(contract('trial')).add('trial', {}, { jobId: 'a' });
    const others = 'from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';
    return {
      connections: async () => Number((await database.pool.query(`select ${others}`)).rowCount),
      terminate: () => database.pool.query(`select pg_terminate_backend(pid) ${others}`),
      queues,
      warn,
      close,
    };
  };

  it('end with the queues', async () => {
    const { queues, warn, connections, close } = await openOn('queues closed');
    expect(await connections()).toBeGreaterThan(0);
    await queues.close();
    // Sooner than the pool closes idle connections.
    await expect.poll(connections).toBe(0);
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
    await close();
  });

  it('are replaced when they are lost, which is logged with the reason', async () => {
    const { queues, warn, terminate, close } = await openOn('queues lost');
    await terminate();
    const reason = 'terminating connection due to administrator command';
    await expect.poll(() => warn.mock.calls).toContainEqual([{ reason }, 'a queue connection to PostgreSQL was lost']);
    // The pool may learn of the others' end later.
    const add = () => queues.queue(contract('trial')).add('trial', {}, { jobId: 'b' });
    await expect.poll(() => add().catch(() => undefined)).toBeDefined();
    warn.mockRestore();
    await queues.close();
    await close();
  });
});

describe.skipIf(redisUrl === undefined)('queues on one Redis', () => {
  it('are separated by their prefix', async () => {
    const open = (prefix: string) => openQueues({ redis: addressOf(redisUrl), databaseUrl: '', prefix }, logger);
    const [one, other] = [await open(randomUUID()), await open(randomUUID())];
    await one.queue(contract('trial')).add('trial', {}, { jobId: 'a' });
    expect(await one.queue(contract('trial')).getJob('a')).toBeDefined();
    expect(await other.queue(contract('trial')).getJob('a')).toBeUndefined();
    await Promise.all([one.close(), other.close()]);
  });

  it('open connections when they need them, and end with them', async () => {
    const url = new URL(redisUrl ?? '');
    url.pathname = '/9';
    const observer = connectRedis(addressOf(redisUrl) ?? expect.fail(), {});
    const connections = async () =>
      String(await observer.call('client', 'list'))
        .split('\n')
        .filter(line => line.includes(' db=9 ')).length;
    const queues = await openQueues({ redis: addressOf(url.href), databaseUrl: '', prefix: randomUUID() }, logger);
    await observer.ping();
    expect(await connections()).toBe(0);
    await queues.queue(contract('trial')).add('trial', {}, { jobId: 'a' });
    expect(await connections()).toBeGreaterThan(0);
    const worker = queues.worker(
      contract('trial'),
      async () => undefined,
      () => undefined,
    );
    await expect.poll(connections).toBeGreaterThan(1);
    await worker.close();
    await queues.close();
    await expect.poll(connections).toBe(0);
    observer.disconnect();
  });

  it('fail requests soon when Redis is down from the start', async () => {
    const proxy = await startTcpProxy(redisUrl ?? '');
    await proxy.cut();
    const queues = await openQueues({ redis: addressOf(proxy.url), databaseUrl: '', prefix: randomUUID() }, logger);
    await expect(queues.queue(contract('trial')).add('trial', {}, { jobId: 'a' })).rejects.toThrow();
    await queues.close();
  });

  it('log a lost connection; requests fail soon, and a worker continues when Redis is back', async () => {
    const warn = vi.spyOn(logger, 'warn');
    const proxy = await startTcpProxy(redisUrl ?? '');
    const queues = await openQueues({ redis: addressOf(proxy.url), databaseUrl: '', prefix: randomUUID() }, logger);
    const done = vi.fn(async () => undefined);
    const worker = queues.worker(contract('trial'), done, () => undefined);
    const queue = queues.queue(contract('trial'));
    await queue.add('trial', {}, { jobId: 'a' });
    await expect.poll(() => done.mock.calls.length).toBe(1);
    await proxy.cut();
    const logged = () => warn.mock.calls.map(([fields, text]) => [Reflect.get(Object(fields), 'queue'), text]);
    await expect.poll(logged).toContainEqual(['trial', 'the worker lost its connection']);
    await expect.poll(logged).toContainEqual(['trial', 'the queue lost its connection']);
    await expect(queue.add('trial', {}, { jobId: 'b' })).rejects.toThrow();
    await proxy.restore();
    await expect.poll(() => queue.add('trial', {}, { jobId: 'c' }).catch(() => undefined)).toBeDefined();
    await expect.poll(() => done.mock.calls.length).toBe(2);
    await worker.close(true);
    await queues.close();
    await proxy.close();
    warn.mockRestore();
  });
});

it('the stall check runs twice within a lock', () =>
  expect(timesForLock(30)).toEqual({ ...workerTimes, lockDuration: 30_000, stalledInterval: 15_000 }));
