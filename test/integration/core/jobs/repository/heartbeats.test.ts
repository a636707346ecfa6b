/** Heartbeats of workers, the results of their health probes, and the numbers of open jobs. */
import { randomUUID } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { beforeEach, describe, expect, it } from 'vitest';
import { createHeartbeats, createWorkerHealth } from '../../../../../core/jobs/repository/heartbeats.ts';
import { countOpenJobs } from '../../../../../core/jobs/repository/open-counts.ts';
import {
  workerCheckTable as check,
  workerHeartbeatTable as heartbeat,
  jobTable,
} from '../../../../../core/jobs/schema.ts';
import { useTestDatabase } from '../../../../support/test-database.ts';

const { database } = await useTestDatabase('heartbeats');
const heartbeats = createHeartbeats(database);
const health = createWorkerHealth(database);

beforeEach(async () => {
  await database.delete(heartbeat);
  await database.delete(check);
  await database.delete(jobTable);
});

const ago = (seconds: number) => sql`now() - ${seconds} * interval '1 second'`;
const beat = (workerId: string, ...running: [string, number][]) => heartbeats.write(workerId, new Map(running));
const setSeen = (workerId: string, seconds: number) =>
  database
    .update(heartbeat)
    .set({ seenAt: ago(seconds) })
    .where(eq(heartbeat.workerId, workerId));
const kinds = async () => (await heartbeats.read()).sort((one, other) => one.kind.localeCompare(other.kind));
const isRecent = (time: Date | undefined) => time !== undefined && Date.now() - time.getTime() < 10_000;

describe('the heartbeats', () => {
  it('of all workers are summed by kind', async () => {
    await beat('one', ['pdf', 2], ['leads', 0]);
    await beat('two', ['pdf', 1]);
    await beat('two', ['pdf', 3]);
    expect(await kinds()).toEqual([
      { kind: 'leads', alive: 1, running: 0, lastSeenAt: expect.any(Date) },
      { kind: 'pdf', alive: 2, running: 5, lastSeenAt: expect.any(Date) },
    ]);
  });

  it('count for 15 s; the last one is known for an hour', async () => {
    await beat('one', ['pdf', 2]);
    await beat('two', ['pdf', 1]);
    await setSeen('one', 14);
    await setSeen('two', 16);
    expect(await kinds()).toMatchObject([{ alive: 1, running: 2 }]);
    await setSeen('one', 3_590);
    const [pdf] = await kinds();
    expect(pdf).toMatchObject({ alive: 0, running: 0 });
    expect(isRecent(pdf?.lastSeenAt)).toBe(false);
    await beat('three', ['leads', 0]);
    expect(await kinds()).toHaveLength(2);
    await setSeen('one', 3_610);
    await setSeen('two', 3_610);
    await beat('three', ['leads', 0]);
    expect(await kinds()).toMatchObject([{ kind: 'leads' }]);
  });

  it('of a worker count again when it continues', async () => {
    await beat('one', ['pdf', 2]);
    await setSeen('one', 60);
    await beat('one', ['pdf', 0]);
    const [pdf] = await kinds();
    expect(pdf).toMatchObject({ alive: 1, running: 0 });
    expect(isRecent(pdf?.lastSeenAt)).toBe(true);
  });

  it('of a worker that ends are removed', async () => {
    await beat('one', ['pdf', 2], ['leads', 1]);
    await beat('two', ['pdf', 1]);
    await heartbeats.remove('one');
    expect(await kinds()).toMatchObject([{ kind: 'pdf', alive: 1, running: 1 }]);
  });

  it('of a worker without kinds are none', async () => {
    await beat('one');
    expect(await kinds()).toEqual([]);
  });
});

describe('the findings of health probes', () => {
  const good = { level: 'ok', found: 'The browser prints.' } as const;
  const bad = { level: 'failure', found: 'The browser does not start.', fix: 'Install it.' } as const;

  it('are those of the workers that are alive, by name', async () => {
    for (const worker of ['one', 'two', 'lost']) await beat(worker, ['pdf', 0]);
    await health.write('two', { browser: bad });
    await health.write('one', { disk: good, browser: good });
    await health.write('lost', { browser: bad });
    await health.write('never seen', { browser: bad });
    await setSeen('lost', 16);
    expect(await health.read()).toEqual([
      { workerId: 'one', name: 'browser', checkedAt: expect.any(Date), finding: good },
      { workerId: 'two', name: 'browser', checkedAt: expect.any(Date), finding: bad },
      { workerId: 'one', name: 'disk', checkedAt: expect.any(Date), finding: good },
    ]);
  });

  it('replace the worker’s earlier ones of the same name', async () => {
    await beat('one', ['pdf', 0]);
    await health.write('one', { browser: bad, disk: bad });
    await database.update(check).set({ checkedAt: ago(60) });
    await health.write('one', { browser: good });
    const [browser, disk] = await health.read();
    expect(browser).toMatchObject({ name: 'browser', finding: good });
    expect(isRecent(browser?.checkedAt)).toBe(true);
    expect(disk).toMatchObject({ name: 'disk', finding: bad });
    expect(isRecent(disk?.checkedAt)).toBe(false);
    await health.write('one', {});
    expect(await health.read()).toHaveLength(2);
  });

  it('are forgotten after an hour, or with their worker', async () => {
    for (const worker of ['one', 'two']) await beat(worker, ['pdf', 0]);
    await health.write('one', { disk: good });
    await database.update(check).set({ checkedAt: ago(3_610) });
    await health.write('one', { browser: good });
    await health.write('two', { browser: good });
    expect(await health.read()).toMatchObject([{ workerId: 'one', name: 'browser' }, { workerId: 'two' }]);
    await health.remove('one');
    expect(await health.read()).toMatchObject([{ workerId: 'two' }]);
  });
});

describe('the open jobs', () => {
  const insert = (kind: string, state: string, waitingSeconds = 0) =>
    database.insert(jobTable).values({
      id: `${kind}_${randomUUID()}`,
      kind,
      clientId: 'portal',
      payload: {},
      attemptsMax: 1,
      state: sql`${state}`,
      queuedAt: ago(waitingSeconds),
    });

  it('are counted by kind and state, in the order of the kinds', async () => {
    for (const state of ['queued', 'queued', 'scheduled', 'running', 'held', 'succeeded', 'failed', 'cancelled']) {
      await insert('pdf', state);
    }
    await insert('other', 'queued');
    expect(await countOpenJobs(database, ['sync', 'pdf'])).toEqual([
      { kind: 'sync', queued: 0, scheduled: 0, running: 0, held: 0, oldestWaitingSeconds: 0 },
      { kind: 'pdf', queued: 2, scheduled: 1, running: 1, held: 1, oldestWaitingSeconds: expect.any(Number) },
    ]);
    expect(await countOpenJobs(database, [])).toEqual([]);
  });

  it('have waited for as long as the oldest queued one', async () => {
    await insert('pdf', 'queued', 30);
    await insert('pdf', 'queued', 90);
    await insert('pdf', 'running', 900);
    const [pdf] = await countOpenJobs(database, ['pdf']);
    expect(Math.round(pdf?.oldestWaitingSeconds ?? 0)).toBeGreaterThanOrEqual(90);
    expect(pdf?.oldestWaitingSeconds).toBeLessThan(120);
  });
});
