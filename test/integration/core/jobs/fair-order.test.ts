/** Fair order: a client with many waiting jobs does not delay the jobs of other clients. */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineJob, type JobContract } from '../../../../core/jobs/contract.ts';
import type { JobContext, JobSuccess } from '../../../../core/jobs/handler.ts';
import { reconcileJobs } from '../../../../core/jobs/reconciler.ts';
import { type Gate, gate } from '../../../support/gate.ts';
import { backends, startTestService, type TestService } from '../../../support/test-service.ts';

const common = {
  summary: 'Waits for its gate.',
  payload: z.object({ name: z.string() }),
  result: z.object({}),
  attempts: 2,
  backoffMs: 20,
  timeoutMs: 60_000,
};
/** One run at a time, so runs begin in the fair order. */
const narrow = defineJob({ ...common, kind: 'narrow', concurrency: 1 });
/** Several clients at once, with two slots each. */
const wide = defineJob({ ...common, kind: 'wide', concurrency: 6, perClientConcurrency: 2 });
const contracts: ReadonlyMap<string, JobContract> = new Map([narrow, wide].map(job => [job.kind, job]));

describe.each(backends)('on %s', backend => {
  let service: TestService;
  /** Names of the jobs in the order of their runs. */
  const started: string[] = [];
  const attempts: number[] = [];
  /** The gates that jobs of these names wait for. */
  const gates = new Map<string, Gate>();
  let running = new Map<string, number>();
  let maxRunning = new Map<string, number>();

  const handle = async (payload: unknown, context: JobContext): Promise<JobSuccess<unknown>> => {
    const { name } = common.payload.parse(payload);
    const now = (running.get(context.clientId) ?? 0) + 1;
    running.set(context.clientId, now);
    maxRunning.set(context.clientId, Math.max(now, maxRunning.get(context.clientId) ?? 0));
    started.push(name);
    attempts.push(context.attempt);
    await gates.get(name)?.opened;
    running.set(context.clientId, (running.get(context.clientId) ?? 1) - 1);
    return { result: {} };
  };
  const kinds = [...contracts.values()].map(contract => ({
    contract,
    handler: { handle },
  }));

  const submit = (contract: JobContract, clientId: string, name: string) =>
    service.jobs.submit(contract, { clientId, payload: { name } });
  const stateOf = async (id: string) => (await service.records.find(id))?.state;
  const hold = (name: string): Gate => {
    const made = gate();
    gates.set(name, made);
    return made;
  };

  beforeAll(async () => {
    service = await startTestService(`fair-order-${backend}`, { backend, contracts });
  });
  beforeEach(() => {
    started.length = 0;
    attempts.length = 0;
    gates.clear();
    running = new Map();
    maxRunning = new Map();
  });
  afterAll(() => service?.close());

  it('runs a client’s single job right after the running one, before another client’s thousand waiting jobs', async () => {
    const first = hold('a0');
    const worker = service.startWorker(kinds);
    await submit(narrow, 'a', 'a0');
    await expect.poll(() => started).toEqual(['a0']);
    for (let sent = 1; sent < 1_000; sent += 50) {
      await Promise.all(Array.from({ length: 50 }, (_, index) => submit(narrow, 'a', `a${sent + index}`)));
    }
    const { id } = await submit(narrow, 'b', 'b0');
    first.open();
    await expect.poll(() => stateOf(id), { timeout: 20_000 }).toBe('succeeded');
    expect(started.indexOf('b0')).toBe(1);
    await worker.stop();
    await service.database.execute(sql`delete from job`);
    await service.queues.boardQueue(narrow).obliterate({ force: true });
  });

  it('alternates between two clients with many jobs, also when one submits its jobs concurrently', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, index) => submit(narrow, 'a', `a${index}`)));
    for (let index = 0; index < 20; index++) await submit(narrow, 'b', `b${index}`);
    const worker = service.startWorker(kinds);
    await expect.poll(() => started.length, { timeout: 20_000 }).toBe(40);
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
    await expect.poll(() => stateOf(id), { timeout: 20_000 }).toBe('succeeded');
    expect(started.indexOf('b-again')).toBe(1);
    await expect.poll(() => started.length, { timeout: 20_000 }).toBe(31);
    await worker.stop();
  });

  it('a client that is alone uses all slots; another client’s job gets the next free one', async () => {
    const names = [...Array(8).keys()].map(index => `a${index}`);
    const gatesOfA = names.map(hold);
    const gateOfB = hold('b0');
    const worker = service.startWorker(kinds);
    const jobs = await Promise.all(names.map(name => submit(wide, 'a', name)));
    await expect.poll(() => started.length).toBe(6);
    await submit(wide, 'b', 'b0');
    gates.get(started[0] ?? '')?.open();
    await expect.poll(() => started.at(-1)).toBe('b0');
    expect(running).toEqual(
      new Map([
        ['a', 5],
        ['b', 1],
      ]),
    );
    for (const one of gatesOfA) one.open();
    gateOfB.open();
    // The end of a job promotes deferred ones at once, long before their delay ends.
    await expect
      .poll(async () => Promise.all(jobs.map(({ id }) => stateOf(id))), { timeout: 10_000 })
      .toEqual(names.map(() => 'succeeded'));
    expect(maxRunning.get('a')).toBe(6);
    expect(new Set(attempts)).toEqual(new Set([1]));
    await worker.stop();
  });

  it('renumbers numbers that have grown too high, and updates the priorities in the queue', async () => {
    const jobs = [await submit(narrow, 'a', 'a0'), await submit(narrow, 'a', 'a1')];
    await service.database.execute(
      sql`update job set turn = turn + 2000000, touched_at = now() - interval '1 hour' where kind = 'narrow' and state = 'queued'`,
    );
    const queue = service.queues.boardQueue(narrow);
    for (const { id } of jobs) await (await queue.getJob(id))?.changePriority({ priority: 2_000_000 });
    const report = await reconcileJobs(contracts, service);
    expect(report).toMatchObject({ renumbered: 2, requeued: 0 });
    const order = await Promise.all(jobs.map(async ({ id }) => (await service.records.find(id))?.fairOrder));
    expect(order).toEqual([1, 2]);
    const priorities = await Promise.all(jobs.map(async ({ id }) => (await queue.getJob(id))?.priority));
    expect(priorities).toEqual([1, 2]);
  });
});
