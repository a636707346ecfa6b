/** A worker that stops, that dies, whose queue was away: no job is lost, none is worked on twice for nothing. */
import { sql } from 'drizzle-orm';
import { afterEach, describe, expect, it } from 'vitest';
import type { JobProcessor } from '../../../../core/jobs/queues.ts';
import { reconcileJobs } from '../../../../core/jobs/reconciler.ts';
import type { JobResource } from '../../../../core/jobs/resource.ts';
import type { ApiClient } from '../../../support/api-client.ts';
import { gate } from '../../../support/gate.ts';
import { runMaintenanceTask } from '../../../support/maintenance.ts';
import { startTcpProxy, type TcpProxy } from '../../../support/tcp-proxy.ts';
import {
  backends,
  startTestService,
  type TestService,
  type TestServiceOptions,
} from '../../../support/test-service.ts';
import {
  openTrials,
  trialContracts,
  trialJob,
  trialOperations,
  untilAborted,
} from '../../../support/trial-jobs.ts';

let service: TestService | undefined;
let line: TcpProxy | undefined;
afterEach(async () => {
  await line?.restore();
  await service?.close();
  await line?.close();
  service = undefined;
  line = undefined;
});

async function startService(options: TestServiceOptions): Promise<[TestService, ApiClient]> {
  const started = await startTestService('worker', {
    operations: trialOperations,
    contracts: trialContracts,
    ...options,
  });
  service = started;
  return [started, await started.client(['trial'])];
}

const start = (client: ApiClient, name: string): Promise<JobResource> =>
  client.requestJob('POST', '/trials/trial', { body: { name } });

/** As if nothing had been heard of any job for a while. */
const passTime = ({ database }: TestService) =>
  database.execute(sql`update job set touched_at = now() - interval '1 minute'`);

describe.each(backends)('on %s', backend => {
  describe('a worker that is told to stop', () => {
    it('lets a running job finish, and takes no other', async () => {
      const [{ startWorker }, client] = await startService({ backend });
      const trials = openTrials();
      const finish = gate();
      trials.when('running', () => finish.opened.then(() => 'done'));
      const worker = startWorker(trials.servedKinds);
      const { id } = await start(client, 'running');
      await client.waitForJob(id, job => job.state === 'running');
      const stopped = worker.stop();
      const late = await start(client, 'late');
      finish.open();
      await stopped;
      expect(await client.job(id)).toMatchObject({ state: 'succeeded', result: { said: 'done' } });
      expect((await client.job(late.id)).state).toBe('queued');
      expect(trials.attempts('late')).toEqual([]);
    });

    it.each(['obedient', 'deaf'])(
      'hands back what does not finish in time, though its handler be %s, without using up an attempt',
      async kind => {
        const [{ startWorker }, client] = await startService({ backend });
        const trials = openTrials();
        const never = gate();
        trials.when('long', context => {
          if (trials.attempts('long').length > 1) return Promise.resolve('done by another');
          return kind === 'obedient' ? untilAborted(context) : never.opened.then(() => 'too late');
        });
        const first = startWorker(trials.servedKinds, 0);
        const { id } = await start(client, 'long');
        await client.waitForJob(id, job => job.state === 'running');
        await first.stop();
        expect(await client.job(id)).toMatchObject({
          state: 'queued',
          attempts: { made: 0 },
          progress: null,
        });
        startWorker(trials.servedKinds);
        expect(await client.waitForJob(id)).toMatchObject({
          state: 'succeeded',
          attempts: { made: 1, max: 3 },
          result: { said: 'done by another' },
        });
        never.open();
      },
    );
  });

  it('a job whose worker died is taken over by another; the client sees one that succeeded', async () => {
    const [{ queues, startWorker }, client] = await startService({ backend, fastRecovery: true });
    const trials = openTrials();
    const died = await workerThatDies(queues);
    const { id } = await start(client, 'taken over');
    await died();
    startWorker(trials.servedKinds);
    expect(await client.waitForJob(id)).toMatchObject({ state: 'succeeded', attempts: { made: 1, max: 3 } });
    expect(trials.attempts('taken over')).toEqual([1]);
  });

  it('a job whose workers keep dying is set aside, and can be run again', async () => {
    const [{ queues, startWorker }, client] = await startService({ backend, fastRecovery: true });
    const trials = openTrials();
    const { id } = await start(client, 'deadly');
    for (let deaths = 0; deaths < 4; deaths += 1) {
      const died = await workerThatDies(queues);
      await died();
    }
    startWorker(trials.servedKinds);
    expect(await client.waitForJob(id)).toMatchObject({
      state: 'failed',
      error: { type: 'urn:portal-service:problem:worker-died', status: 500 },
    });
    expect(trials.attempts('deadly')).toEqual([]);
    expect((await client.request('POST', `/jobs/${id}/retry`)).status).toBe(202);
    expect((await client.waitForJob(id)).state).toBe('succeeded');
  });

  describe('the sweeper', () => {
    it('brings back a job whose message was lost', async () => {
      const [{ queues, startWorker, ...parts }, client] = await startService({ backend });
      const { id } = await start(client, 'lost');
      await (await queues.queue(trialJob).getJob(id))?.remove();
      await passTime({ ...parts, queues, startWorker });
      expect(await reconcileJobs(trialContracts, { ...parts, queues })).toMatchObject({
        checked: 1,
        requeued: 1,
      });
      startWorker(openTrials().servedKinds);
      expect((await client.waitForJob(id)).state).toBe('succeeded');
      const { body } = await client.request('GET', `/jobs/${id}/timeline`);
      expect(body).toMatchObject({
        items: expect.arrayContaining([expect.objectContaining({ type: 'put-back' })]),
      });
      expect((await runMaintenanceTask('lost-jobs', parts)).counts).toEqual({ putBackLastDay: 1 });
    });

    it('leaves alone what waits in its queue, what was heard of lately, and what has ended', async () => {
      const [started, client] = await startService({ backend });
      const cancelled = await start(client, 'cancelled');
      await client.request('DELETE', `/jobs/${cancelled.id}`);
      await start(client, 'waits');
      await passTime(started);
      const recent = await start(client, 'recent');
      await (await started.queues.queue(trialJob).getJob(recent.id))?.remove();
      expect(await reconcileJobs(trialContracts, started)).toMatchObject({ checked: 1, requeued: 0 });
      // Once looked at, it is left alone for a while.
      expect(await reconcileJobs(trialContracts, started)).toMatchObject({ checked: 0, requeued: 0 });
    });

    it('brings back a job that is over for the queue but not for its row', async () => {
      const [started, client] = await startService({ backend });
      const trials = openTrials();
      const finish = gate();
      trials.when('half done', () => finish.opened.then(() => 'done'));
      started.startWorker(trials.servedKinds);
      const { id } = await start(client, 'half done');
      await client.waitForJob(id, job => job.state === 'running');
      const noRun = 'ffffffff-ffff-4fff-bfff-ffffffffffff';
      await started.database.execute(sql`update job set run_id = ${noRun} where id = ${id}`);
      finish.open();
      const message = async () => (await started.queues.queue(trialJob).getJob(id))?.getState();
      await expect.poll(message, { timeout: 20_000 }).toBe('completed');
      await passTime(started);
      expect(await reconcileJobs(trialContracts, started)).toMatchObject({ requeued: 1 });
      expect((await client.waitForJob(id)).state).toBe('succeeded');
    });
  });
});

describe('a job accepted while its queue cannot be reached', () => {
  const redis = it.skipIf(!backends.includes('redis'));

  redis.each(['is away', 'hangs'])('is answered with 202 and done later: Redis %s', async how => {
    const [started, client] = await startService({
      backend: 'redis',
      redisUrl: async url => {
        line = await startTcpProxy(url);
        return line.url;
      },
    });
    await start(client, 'before');
    if (how === 'hangs') line?.hang();
    else await line?.cut();
    const begun = performance.now();
    const { id } = await start(client, 'during');
    expect(performance.now() - begun).toBeLessThan(5_000);
    await line?.restore();
    await passTime(started);
    await expect
      .poll(() => reconcileJobs(trialContracts, started).catch(() => undefined), { timeout: 30_000 })
      .toBeDefined();
    started.startWorker(openTrials().servedKinds);
    expect((await client.waitForJob(id)).state).toBe('succeeded');
  });

  it('is answered with 202 and done later: the queue in PostgreSQL is broken', async () => {
    const [started, client] = await startService({ backend: 'postgres' });
    await start(client, 'before');
    await started.database.execute(sql`alter schema bullmq rename to bullmq_away`);
    const { id } = await start(client, 'during');
    await started.database.execute(sql`alter schema bullmq_away rename to bullmq`);
    await passTime(started);
    expect(await reconcileJobs(trialContracts, started)).toMatchObject({ looked: 2, requeued: 1 });
    started.startWorker(openTrials().servedKinds);
    expect((await client.waitForJob(id)).state).toBe('succeeded');
  });
});

/** Takes the next job and dies over it: its lock runs out, as that of a process that was killed. */
async function workerThatDies(queues: TestService['queues']): Promise<() => Promise<void>> {
  const taken = gate();
  const processor: JobProcessor = () => {
    taken.open();
    return new Promise(() => undefined);
  };
  const worker = queues.worker(trialJob, processor, () => undefined);
  return async () => {
    await taken.opened;
    await worker.close(true);
  };
}
