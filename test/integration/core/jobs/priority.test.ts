/** Priorities: a client with many waiting jobs does not delay the jobs of other clients. */
import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineJob, type JobContract } from '../../../../core/jobs/contract.ts';
import type { JobSuccess } from '../../../../core/jobs/handler.ts';
import { type Gate, gate } from '../../../support/gate.ts';
import { backends, useService } from '../../../support/test-service.ts';

const common = {
  summary: 'Waits for its gate.',
  payload: z.object({ name: z.string() }),
  result: z.object({}),
  attempts: 2,
  backoffMs: 20,
  timeoutMs: 60_000,
};
/** One run at a time, so runs begin in the order of the priorities. */
const narrow = defineJob({ ...common, kind: 'narrow', concurrency: 1 });
const wide = defineJob({ ...common, kind: 'wide', concurrency: 6 });
const contracts: ReadonlyMap<string, JobContract> = new Map([narrow, wide].map(job => [job.kind, job]));

describe.each(backends)('on %s', backend => {
  const service = useService(`priority-${backend}`, () => ({ backend, contracts }));
  /** Names of the jobs in the order of their runs. */
  const started: string[] = [];
  /** The gates that jobs of these names wait for. */
  const gates = new Map<string, Gate>();

  const handle = async (payload: unknown): Promise<JobSuccess<unknown>> => {
    const { name } = common.payload.parse(payload);
    started.push(name);
    await gates.get(name)?.opened;
    return { result: {} };
  };
  const kinds = [...contracts.values()].map(contract => ({ contract, handler: { handle } }));

  const submit = (contract: JobContract, clientId: string, name: string) =>
    service.jobs.submit(contract, { clientId, payload: { name } });
  const stateOf = async (id: string) => (await service.records.find(id))?.state;
  const hold = (name: string): Gate => {
    const made = gate();
    gates.set(name, made);
    return made;
  };

  beforeEach(() => {
    started.length = 0;
    gates.clear();
  });
  afterEach(async () => {
    await service.database.execute(sql`delete from job`);
    for (const contract of contracts.values()) await service.queues.boardQueue(contract).obliterate({ force: true });
  });

  async function submitMany(contract: JobContract, clientId: string, count: number): Promise<void> {
    for (let sent = 0; sent < count; sent += 50)
      await Promise.all(
        Array.from({ length: 50 }, (_, index) => submit(contract, clientId, `${clientId}${sent + index}`)),
      );
  }

  it('gives a client with 100 jobs a third of the next 210 starts, behind 2,000 jobs of another client', async () => {
    const held = [...Array(6).keys()].map(index => hold(`first${index}`));
    const worker = service.startWorker(kinds);
    for (const index of held.keys()) await submit(wide, 'a', `first${index}`);
    await expect.poll(() => started.length).toBe(6);
    await submitMany(wide, 'a', 2_000);
    await submitMany(wide, 'b', 100);
    for (const each of held) each.open();
    await expect.poll(() => started.length).toBeGreaterThanOrEqual(216);
    await worker.stop();
    const next = started.slice(6, 216);
    expect(next.filter(name => name.startsWith('b')).length).toBeGreaterThanOrEqual(70);
    expect(next.filter(name => name.startsWith('a')).length).toBeGreaterThanOrEqual(70);
  });

  it('runs a client’s single job right after the running one, before another client’s thousand waiting jobs', async () => {
    const first = hold('a0');
    const worker = service.startWorker(kinds);
    await submit(narrow, 'a', 'a0');
    await expect.poll(() => started).toEqual(['a0']);
    await submitMany(narrow, 'a', 1_000);
    const { id } = await submit(narrow, 'b', 'b0');
    first.open();
    await expect.poll(() => stateOf(id)).toBe('succeeded');
    expect(started.indexOf('b0')).toBe(1);
    await worker.stop();
  });

  it('alternates between two clients with many jobs, also when one submits its jobs concurrently', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, index) => submit(narrow, 'a', `a${index}`)));
    for (let index = 0; index < 20; index++) await submit(narrow, 'b', `b${index}`);
    const worker = service.startWorker(kinds);
    await expect.poll(() => started.length).toBe(40);
    // After any number of runs, the numbers of both clients differ by at most one.
    const leads = started.map((_, count) => {
      const soFar = started.slice(0, count + 1);
      return Math.abs(2 * soFar.filter(name => name.startsWith('a')).length - soFar.length);
    });
    expect(Math.max(...leads)).toBeLessThanOrEqual(2);
    await worker.stop();
  });

  it('gives the next position to a client that has cancelled all of its waiting jobs', async () => {
    const first = hold('a0');
    const worker = service.startWorker(kinds);
    await submit(narrow, 'a', 'a0');
    await expect.poll(() => started).toEqual(['a0']);
    const cancelled = await Promise.all([...Array(30).keys()].map(index => submit(narrow, 'b', `b${index}`)));
    for (let index = 1; index < 30; index++) await submit(narrow, 'a', `a${index}`);
    for (const { id } of cancelled) await service.jobs.cancel(narrow, id);
    const { id } = await submit(narrow, 'b', 'b-again');
    first.open();
    await expect.poll(() => stateOf(id)).toBe('succeeded');
    expect(started.indexOf('b-again')).toBe(1);
    await expect.poll(() => started.length).toBe(31);
    await worker.stop();
  });

  it('lets a client that is alone use all slots, and gives another client’s job the next free one', async () => {
    const names = [...Array(8).keys()].map(index => `a${index}`);
    const gatesOfA = names.map(hold);
    const worker = service.startWorker(kinds);
    const jobs = await Promise.all(names.map(name => submit(wide, 'a', name)));
    await expect.poll(() => started.length).toBe(6);
    jobs.push(await submit(wide, 'b', 'b0'));
    gates.get(started[0] ?? '')?.open();
    await expect.poll(() => started[6]).toBe('b0');
    for (const one of gatesOfA) one.open();
    await expect.poll(async () => Promise.all(jobs.map(({ id }) => stateOf(id)))).toEqual(jobs.map(() => 'succeeded'));
    await worker.stop();
  });

  it('gives a retried job its place behind the client’s open jobs', async () => {
    const [retried, ...others] = [await submit(narrow, 'c', 'c0'), await submit(narrow, 'c', 'c1')];
    await submit(narrow, 'c', 'c2');
    await service.jobs.cancel(narrow, retried.id);
    expect(await service.jobs.retry(narrow, retried.id)).toMatchObject({ priority: 3 });
    const priorityOf = async (id = '') => (await service.queues.boardQueue(narrow).getJob(id))?.priority;
    expect([await priorityOf(retried.id), await priorityOf(others[0]?.id)]).toEqual([3, 2]);
  });
});
