/** Clients take turns: whoever has many jobs waiting does not keep another from his one. */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineJob, type JobContract } from '../../../../core/jobs/contract.ts';
import type { JobContext, JobSuccess } from '../../../../core/jobs/handler.ts';
import { sweepJobs } from '../../../../core/jobs/reconciler.ts';
import { type Gate, gate } from '../../../support/gate.ts';
import { backends, startTestService, type TestService } from '../../../support/test-service.ts';

const common = {
  summary: 'Waits for its sign.',
  payload: z.object({ name: z.string() }),
  result: z.object({}),
  attempts: 2,
  backoffMs: 20,
  timeoutMs: 60_000,
};
/** One at a time, so that the order of the runs is the order of the turns. */
const narrow = defineJob({ ...common, kind: 'narrow', concurrency: 1 });
/** Wide enough for several clients, with two places for each. */
const wide = defineJob({ ...common, kind: 'wide', concurrency: 6, perClientConcurrency: 2 });
const contracts: ReadonlyMap<string, JobContract> = new Map([narrow, wide].map(job => [job.kind, job]));

describe.each(backends)('on %s', backend => {
  let service: TestService;
  /** Names in the order in which their jobs were begun. */
  const begun: string[] = [];
  const attempts: number[] = [];
  /** Jobs of these names wait for their gate. */
  const held = new Map<string, Gate>();
  let running = new Map<string, number>();
  let mostRunning = new Map<string, number>();

  const handle = async (payload: unknown, context: JobContext): Promise<JobSuccess<unknown>> => {
    const { name } = common.payload.parse(payload);
    const now = (running.get(context.clientId) ?? 0) + 1;
    running.set(context.clientId, now);
    mostRunning.set(context.clientId, Math.max(now, mostRunning.get(context.clientId) ?? 0));
    begun.push(name);
    attempts.push(context.attempt);
    await held.get(name)?.opened;
    running.set(context.clientId, now - 1);
    return { result: {} };
  };
  const posts = [...contracts.values()].map(contract => ({
    contract,
    handler: { handle, close: async () => {} },
  }));

  const submit = (contract: JobContract, clientId: string, name: string) =>
    service.desk.submit(contract, { clientId, payload: { name } });
  const stateOf = async (id: string) => (await service.records.find(id))?.state;
  const hold = (name: string): Gate => {
    const made = gate();
    held.set(name, made);
    return made;
  };

  beforeAll(async () => {
    service = await startTestService(`fair-turns-${backend}`, { backend, contracts });
  });
  beforeEach(() => {
    begun.length = 0;
    attempts.length = 0;
    held.clear();
    running = new Map();
    mostRunning = new Map();
  });
  afterAll(() => service?.close());

  it('one client’s thousand waiting jobs delay another’s single one by no more than the job that runs', async () => {
    const first = hold('a0');
    const worker = service.startWorker(posts);
    await submit(narrow, 'a', 'a0');
    await expect.poll(() => begun).toEqual(['a0']);
    for (let sent = 1; sent < 1_000; sent += 50) {
      await Promise.all(Array.from({ length: 50 }, (_, index) => submit(narrow, 'a', `a${sent + index}`)));
    }
    const { id } = await submit(narrow, 'b', 'b0');
    first.open();
    await expect.poll(() => stateOf(id), { timeout: 20_000 }).toBe('succeeded');
    expect(begun.indexOf('b0')).toBe(1);
    await worker.stop();
    await service.database.execute(sql`delete from job`);
    await service.queues.boardQueue(narrow).obliterate({ force: true });
  });

  it('two clients with many jobs are served by turns, also when one of them sends its jobs side by side', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, index) => submit(narrow, 'a', `a${index}`)));
    for (let index = 0; index < 20; index++) await submit(narrow, 'b', `b${index}`);
    const worker = service.startWorker(posts);
    await expect.poll(() => begun.length, { timeout: 20_000 }).toBe(40);
    // After any number of runs, both have had as many, give or take one.
    const leads = begun.map((_, count) => {
      const sofar = begun.slice(0, count + 1);
      return Math.abs(2 * sofar.filter(name => name.startsWith('a')).length - sofar.length);
    });
    expect(Math.max(...leads)).toBeLessThanOrEqual(2);
    await worker.stop();
  });

  it('a client that cancelled all it had waiting begins anew, behind nobody', async () => {
    const first = hold('a0');
    const worker = service.startWorker(posts);
    await submit(narrow, 'a', 'a0');
    await expect.poll(() => begun).toEqual(['a0']);
    const cancelled = await Promise.all([...Array(30).keys()].map(index => submit(narrow, 'b', `b${index}`)));
    for (let index = 1; index < 30; index++) await submit(narrow, 'a', `a${index}`);
    for (const { id } of cancelled) await service.desk.cancel(narrow, id);
    const { id } = await submit(narrow, 'b', 'b-again');
    first.open();
    await expect.poll(() => stateOf(id), { timeout: 20_000 }).toBe('succeeded');
    expect(begun.indexOf('b-again')).toBe(1);
    await expect.poll(() => begun.length, { timeout: 20_000 }).toBe(31);
    await worker.stop();
  });

  it('a client runs no more jobs of a kind at once than its contract allows; others take the free places', async () => {
    const names = [...Array(8).keys()].map(index => `a${index}`);
    const gates = names.map(hold);
    const gateOfB = hold('b0');
    const worker = service.startWorker(posts);
    const jobs = await Promise.all(names.map(name => submit(wide, 'a', name)));
    await expect.poll(() => begun.length).toBe(2);
    // All others were picked up meanwhile and stepped back.
    const states = async () => {
      const counts = await service.queues.queue(wide).getJobCounts('prioritized', 'waiting', 'delayed');
      return counts.delayed;
    };
    await expect.poll(states).toBe(6);
    await submit(wide, 'b', 'b0');
    await expect.poll(() => begun).toContain('b0');
    for (const one of gates) one.open();
    gateOfB.open();
    // Each end calls the next at once, long before one that stepped back comes by itself.
    await expect
      .poll(async () => Promise.all(jobs.map(({ id }) => stateOf(id))), { timeout: 10_000 })
      .toEqual(names.map(() => 'succeeded'));
    expect(mostRunning.get('a')).toBe(2);
    expect(new Set(attempts)).toEqual(new Set([1]));
    await worker.stop();
  });

  it('turns that have grown too high are counted anew, and what waits in the queue follows', async () => {
    const jobs = [await submit(narrow, 'a', 'a0'), await submit(narrow, 'a', 'a1')];
    await service.database.execute(
      sql`update job set turn = turn + 2000000, touched_at = now() - interval '1 hour' where kind = 'narrow' and state = 'queued'`,
    );
    const queue = service.queues.boardQueue(narrow);
    for (const { id } of jobs) await (await queue.getJob(id))?.changePriority({ priority: 2_000_000 });
    const report = await sweepJobs(contracts, service);
    expect(report).toMatchObject({ turned: 2, putBack: 0 });
    const turns = await Promise.all(jobs.map(async ({ id }) => (await service.records.find(id))?.turn));
    expect(turns).toEqual([1, 2]);
    const priorities = await Promise.all(jobs.map(async ({ id }) => (await queue.getJob(id))?.priority));
    expect(priorities).toEqual([1, 2]);
  });
});
