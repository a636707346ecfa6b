/** Leases on keys: one process at a time holds a key, or several keys together. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { eq, inArray, sql } from 'drizzle-orm';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { acquireLease } from '../../../../core/effects/lease.ts';
import { createEffects } from '../../../../core/effects/ledger.ts';
import { effectTable } from '../../../../core/effects/schema.ts';
import { withCallContext } from '../../../../core/integrations/kit/call-context.ts';
import type { Database } from '../../../../core/postgres/client.ts';
import { gate } from '../../../support/gate.ts';
import { useTestDatabase } from '../../../support/test-database.ts';

const logger = pino({ level: 'silent' });
const settlingMs = 60_000;

const { database } = await useTestDatabase('leases', 6);
const effects = createEffects(database, logger, { settlingSeconds: settlingMs / 1_000 });
let keys: readonly [string, string];

beforeEach(() => {
  keys = [`lead:${randomUUID()}`, `lead:${randomUUID()}`];
});
afterEach(() => vi.restoreAllMocks());

const target = (of: readonly string[] = keys) => ({ keys: of, kind: 'trial', system: 'crm' });
const acquire = async (of?: readonly string[]) => {
  const acquired = await acquireLease({ database, logger, settlingMs }, target(of));
  if (acquired.state !== 'acquired') throw new Error(`the key is ${acquired.state}`);
  return acquired.lease;
};
const asRun = <T>(jobId: string, runId: string, work: () => T) =>
  withCallContext({ priority: 'background', run: { jobId, runId } }, work);

/** The rows of the keys, with the time left on each lease. */
const rows = () =>
  database
    .select({
      key: effectTable.key,
      state: effectTable.state,
      jobId: effectTable.jobId,
      leftMs: sql`extract(epoch from ${effectTable.leasedUntil} - now()) * 1000`.mapWith(Number),
    })
    .from(effectTable)
    .where(inArray(effectTable.key, [...keys]))
    .orderBy(effectTable.key);
const setLeft = (key: string, ms: number) =>
  database
    .update(effectTable)
    .set({ leasedUntil: sql`now() + ${ms} * interval '1 millisecond'` })
    .where(eq(effectTable.key, key));

/** The lease is requested, but not granted, while this much time passes. */
const isStillWaiting = async (request: Promise<unknown>) =>
  (await Promise.race([request, sleep(400, 'waiting')])) === 'waiting';

describe('a lease', () => {
  it('holds all keys for 15 s, with the job and the run', async () => {
    const lease = await asRun('leads_1', randomUUID(), () => acquire());
    expect(lease.previousLeftMs).toBeUndefined();
    expect(lease.isValid()).toBe(true);
    const held = await rows();
    expect(held).toMatchObject([...keys].sort().map(key => ({ key, state: 'claimed', jobId: 'leads_1' })));
    for (const { leftMs } of held) {
      expect(leftMs).toBeGreaterThan(5_000);
      expect(leftMs).toBeLessThanOrEqual(15_000);
    }
  });

  it.each([
    ['outside a job', {}, {}],
    ['of another job', { jobId: 'leads_1' }, { jobId: 'leads_2' }],
    ['outside a job, for a request of a job', {}, { jobId: 'leads_1' }],
    ['of a job, for a request outside of jobs', { jobId: 'leads_1' }, {}],
    ['of the same run', { jobId: 'leads_1', runId: 'same' }, { jobId: 'leads_1', runId: 'same' }],
  ])('%s is waited for until it is released', async (_, first, second) => {
    const runIds = { same: randomUUID() };
    const within = (run: { jobId?: string; runId?: string }) => () => {
      const runId = run.runId === undefined ? randomUUID() : runIds.same;
      return run.jobId === undefined ? acquire() : asRun(run.jobId, runId, () => acquire());
    };
    const held = await within(first)();
    const next = within(second)();
    expect(await isStillWaiting(next)).toBe(true);
    await held.release();
    expect((await next).previousLeftMs).toBeUndefined();
  });

  it('of an earlier run of the same job is taken over with the time that it has left', async () => {
    await asRun('leads_1', randomUUID(), () => acquire());
    await setLeft(keys[0], 90_000);
    const lease = await asRun('leads_1', randomUUID(), () => acquire());
    expect(lease.previousLeftMs).toBeGreaterThan(60_000);
    // The column rounds the end to milliseconds.
    expect(lease.previousLeftMs).toBeLessThanOrEqual(90_001);
  });

  it('that has ended is taken over with the time since its end', async () => {
    await acquire();
    for (const key of keys) await setLeft(key, -90_000);
    const lease = await acquire();
    // The column rounds the end by up to half a millisecond.
    expect(lease.previousLeftMs).toBeLessThan(-89_999);
    expect((await rows()).every(({ leftMs }) => leftMs > 5_000)).toBe(true);
  });

  it('on several keys holds none of them while another process holds one', async () => {
    const [one, other] = [...keys].sort();
    const held = await acquire([other ?? '']);
    const next = acquire();
    expect(await isStillWaiting(next)).toBe(true);
    // The free key can be held meanwhile.
    const free = await acquire([one ?? '']);
    await free.release();
    await held.release();
    await (await next).release();
    expect(await rows()).toEqual([]);
  });

  it('on an abandoned key and one that another process holds waits', async () => {
    await acquire([keys[0]]);
    await setLeft(keys[0], -1_000);
    const held = await acquire([keys[1]]);
    const next = acquire();
    expect(await isStillWaiting(next)).toBe(true);
    await held.release();
    await next;
  });

  it('is granted when another process releases a key while it is requested', async () => {
    await acquire([keys[0]]);
    /** The key is released between the two statements of the request. */
    const transaction: Database['transaction'] = (work, config) =>
      database.transaction(tx => {
        const racing = new Proxy(tx, {
          get(of, name, receiver) {
            if (name === 'select')
              of.delete(effectTable).where(eq(effectTable.key, keys[0])).then(undefined, undefined);
            return Reflect.get(of, name, receiver);
          },
        });
        return work(racing);
      }, config);
    const racing = Object.assign(Object.create(database), { transaction });
    const acquired = await acquireLease({ database: racing, logger, settlingMs }, target());
    expect(acquired.state).toBe('acquired');
    expect(await rows()).toHaveLength(2);
  });

  it('on keys in another order than that of another process leads to no deadlock', async () => {
    const [first = '', second = ''] = [...keys].sort();
    const row = (key: string) => ({
      key,
      kind: 'trial',
      system: 'crm',
      state: 'claimed' as const,
      leaseId: randomUUID(),
    });
    const ended = sql`now() - interval '1 second'`;
    const insert = (db: Pick<Database, 'insert'>, key: string) =>
      db.insert(effectTable).values({ ...row(key), leasedUntil: ended });
    const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    const waits = async () => (await database.execute(waiting)).rowCount;
    const next = await database.transaction(async tx => {
      await insert(tx, first);
      const requested = acquire([second, first]);
      await expect.poll(waits).toBeGreaterThan(0);
      await insert(tx, second);
      return { requested };
    });
    await (await next.requested).release();
  });

  it('on a free and an abandoned key takes both', async () => {
    await acquire([keys[0]]);
    await setLeft(keys[0], -1_000);
    const lease = await acquire();
    await lease.release();
    expect(await rows()).toEqual([]);
  });

  it('is not granted within 20 s: the request is rejected and may be repeated', async () => {
    const held = await acquire();
    await setLeft(keys[0], 3_600_000);
    const startedAt = Date.now();
    const next = acquire();
    const rejected = expect(next).rejects.toMatchObject({
      code: 'effect-pending',
      message: 'Another process carries out the same effect (trial); try again in 5 s.',
      retryAfterSeconds: 5,
    });
    const clock = vi.spyOn(Date, 'now').mockReturnValue(startedAt + 19_000);
    expect(await isStillWaiting(next)).toBe(true);
    clock.mockReturnValue(startedAt + 60_000);
    await rejected;
    clock.mockRestore();
    await held.release();
  });

  it('is not waited for after the work was cancelled', async () => {
    await acquire();
    const stop = new AbortController();
    const next = withCallContext({ priority: 'background', signal: stop.signal }, () => acquire());
    expect(await isStillWaiting(next)).toBe(true);
    stop.abort();
    await expect(next).rejects.toThrow('aborted');
  });
});

describe('the holder of a lease', () => {
  /** The process is suspended for this time. */
  const suspend = (ms: number) => vi.spyOn(performance, 'now').mockReturnValue(performance.now() + ms);

  it('sends nothing in the last 5 s of the lease, and confirms it before it sends again', async () => {
    const lease = await acquire();
    const clock = suspend(9_000);
    expect(lease.isValid()).toBe(true);
    clock.mockRestore();
    suspend(10_001);
    expect(lease.isValid()).toBe(false);
    await setLeft(keys[0], 1_000);
    await lease.confirm();
    expect(lease.isValid()).toBe(true);
    expect((await rows()).every(({ leftMs }) => leftMs > 5_000)).toBe(true);
  });

  it.each([
    ['all keys', [0, 1]],
    ['one of the keys', [1]],
  ])('may send nothing more when another process has taken over %s', async (_, taken) => {
    const lease = await acquire();
    const lost = keys.filter((_key, index) => taken.includes(index));
    for (const key of lost) await setLeft(key, -1);
    const other = await acquire(lost);
    await expect(lease.confirm()).rejects.toMatchObject({ code: 'effect-pending', retryAfterSeconds: 5 });
    expect(lease.isValid()).toBe(false);
    // It changes nothing of the other process's lease.
    await lease.release();
    await lease.settle({});
    await lease.markUnknown();
    expect(await rows()).toMatchObject(lost.sort().map(key => ({ key, state: 'claimed' })));
    await other.confirm();
  });

  it('may leave it open: the next holder learns for how long a request may still be executed', async () => {
    const lease = await acquire();
    await lease.leaveOpen(20_000);
    const next = await acquire();
    // Up to 60 s after the end of a lease; 20 s are left. The column rounds the end to milliseconds.
    expect(next.previousLeftMs).toBeLessThanOrEqual(-39_999);
    expect(next.previousLeftMs).toBeGreaterThan(-50_000);
    await next.leaveOpen();
    expect((await acquire()).previousLeftMs).toBeLessThanOrEqual(0);
  });
});

describe('exclusive work', () => {
  it('runs one at a time, and the next begins when it has ended or failed', async () => {
    const order: string[] = [];
    const { open, opened } = gate();
    const first = effects.exclusively(target(), async () => {
      order.push('first');
      await opened;
      order.push('first failed');
      throw new Error('It broke.');
    });
    const failed = expect(first).rejects.toThrow('It broke.');
    await expect.poll(() => order).toEqual(['first']);
    const second = effects.exclusively(target([keys[1]]), async () => order.push('second'));
    expect(await isStillWaiting(second)).toBe(true);
    open();
    await failed;
    expect(await second).toBe(3);
    expect(order).toEqual(['first', 'first failed', 'second']);
    expect(await rows()).toEqual([]);
  });

  it.each([0, 1])('is rejected when a key, in place %i, is that of a one-time effect', async place => {
    const execute = vi.fn(async () => ({}));
    const [free, key] = place === 0 ? [...keys].sort().reverse() : [...keys].sort();
    const effect = { ...target(), key: key ?? '', result: z.object({}), execute };
    await effects.once(effect);
    const message = 'trial: the keys are those of a one-time effect';
    await expect(effects.exclusively(target(), async () => 1)).rejects.toThrow(message);
    const append = { ...target(), findMissing: async () => undefined, append: async () => {} };
    await expect(effects.appendMissing(append)).rejects.toThrow(message);
    // The effect stays as it was, and the other key is free.
    expect(await effects.once(effect)).toEqual({ result: {}, repeated: true });
    expect(await effects.exclusively(target([free ?? '']), async () => 'free')).toBe('free');
    expect(execute).toHaveBeenCalledTimes(1);
  });
});
