/** Workers that stop or die, and queues that are unavailable: no job is lost, none runs twice without need. */
import { sql } from 'drizzle-orm';
import { afterEach, describe, expect, it } from 'vitest';
import type { JobProcessor } from '../../../../core/jobs/queues.ts';
import { reconcileJobs } from '../../../../core/jobs/reconciler.ts';
import type { JobResource } from '../../../../core/jobs/resource.ts';
import { createProcessor } from '../../../../workers/runtime/run-job.ts';
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
import { openTrials, trialContracts, trialJob, trialOperations, untilAborted } from '../../../support/trial-jobs.ts';

let service: TestService | undefined;
let proxy: TcpProxy | undefined;
afterEach(async () => {
  await proxy?.restore();
  await service?.close();
  await proxy?.close();
  service = undefined;
  proxy = undefined;
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

/** Moves the heartbeats of all jobs into the past. */
const ageHeartbeats = ({ database }: TestService) =>
  database.execute(sql`update job set touched_at = now() - interval '1 minute'`);

describe.each(backends)('on %s', backend => {
  describe('a worker that stops', () => {
    it('waits for the running job and starts no other', async () => {
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

    it('leaves a job that its queue still delivers to the queue', async () => {
      const [{ queues, startWorker, ...services }, client] = await startService({ backend });
      const trials = openTrials();
      const [kind] = trials.servedKinds.filter(({ contract }) => contract === trialJob);
      if (!kind) throw new Error('the trial job is not served');
      const { takeoverDelayMs } = queues;
      const runner = { ...services, ...kind, contracts: trialContracts, takeoverDelayMs, runs: new Map() };
      const process = createProcessor({ ...runner, stopping: AbortSignal.abort() });
      let deliveries = 0;
      const stopping = queues.worker(
        trialJob,
        (message, token, signal) => {
          deliveries += 1;
          return process(message, token, signal);
        },
        () => undefined,
      );
      const { id } = await start(client, 'delivered late');
      await expect.poll(() => deliveries).toBeGreaterThan(0);
      await stopping.close();
      expect(await client.job(id)).toMatchObject({ state: 'queued', attempts: { made: 0 } });
      startWorker(trials.servedKinds);
      expect(await client.waitForJob(id)).toMatchObject({ state: 'succeeded', attempts: { made: 1, max: 3 } });
      expect(trials.attempts('delivered late')).toEqual([1]);
    });

    it.each(['that reacts to its signal', 'that ignores its signal'])(
      'returns a job that does not finish in time to its queue without counting the attempt, with a handler %s',
      async kind => {
        const [{ startWorker }, client] = await startService({ backend });
        const trials = openTrials();
        const never = gate();
        trials.when('long', context => {
          if (trials.attempts('long').length > 1) return Promise.resolve('done by another');
          return kind === 'that reacts to its signal' ? untilAborted(context) : never.opened.then(() => 'too late');
        });
        const first = startWorker(trials.servedKinds, 0);
        const { id } = await start(client, 'long');
        await client.waitForJob(id, job => job.state === 'running');
        await first.stop();
        expect(await client.job(id)).toMatchObject({ state: 'queued', attempts: { made: 0 }, progress: null });
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

  it('another worker takes over the job of a dead one, and the job succeeds', async () => {
    const [started, client] = await startService({ backend, fastRecovery: true });
    const trials = openTrials();
    const died = await workerThatDies(started);
    const { id } = await start(client, 'taken over');
    await died();
    started.startWorker(trials.servedKinds);
    expect(await client.waitForJob(id)).toMatchObject({ state: 'succeeded', attempts: { made: 1, max: 3 } });
    expect(trials.attempts('taken over')).toEqual([1]);
  });

  it('a job whose workers keep dying fails and can be retried', async () => {
    const [started, client] = await startService({ backend, fastRecovery: true });
    const trials = openTrials();
    const { id } = await start(client, 'deadly');
    for (let deaths = 0; deaths < 4; deaths += 1) {
      const died = await workerThatDies(started);
      await died();
    }
    started.startWorker(trials.servedKinds);
    expect(await client.waitForJob(id)).toMatchObject({
      state: 'failed',
      error: { type: 'http://portal.example/v2/problems/worker-died', status: 500 },
    });
    expect(trials.attempts('deadly')).toEqual([]);
    expect((await client.request('POST', `/jobs/${id}/retry`)).status).toBe(202);
    expect((await client.waitForJob(id)).state).toBe('succeeded');
  });

  describe('the reconciler', () => {
    it('requeues a job whose message is lost', async () => {
      const [{ queues, startWorker, ...parts }, client] = await startService({ backend });
      const { id } = await start(client, 'lost');
      await (await queues.queue(trialJob).getJob(id))?.remove();
      await ageHeartbeats({ ...parts, queues, startWorker });
      expect(await reconcileJobs(trialContracts, { ...parts, queues })).toMatchObject({ checked: 1, requeued: 1 });
      startWorker(openTrials().servedKinds);
      expect((await client.waitForJob(id)).state).toBe('succeeded');
      const { body } = await client.request('GET', `/jobs/${id}/timeline`);
      expect(body).toMatchObject({ items: expect.arrayContaining([expect.objectContaining({ type: 'put-back' })]) });
      expect((await runMaintenanceTask('lost-jobs', parts)).counts).toEqual({ putBackLastDay: 1 });
    });

    it('ignores jobs in their queue, jobs with a recent heartbeat, and ended jobs', async () => {
      const [started, client] = await startService({ backend });
      const cancelled = await start(client, 'cancelled');
      await client.request('DELETE', `/jobs/${cancelled.id}`);
      await start(client, 'waits');
      await ageHeartbeats(started);
      const recent = await start(client, 'recent');
      await (await started.queues.queue(trialJob).getJob(recent.id))?.remove();
      expect(await reconcileJobs(trialContracts, started)).toMatchObject({ checked: 1, requeued: 0 });
      // A checked job is not checked again for a while.
      expect(await reconcileJobs(trialContracts, started)).toMatchObject({ checked: 0, requeued: 0 });
    });

    it('requeues a job that is completed in the queue but open in its row', async () => {
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
      await expect.poll(message).toBe('completed');
      await ageHeartbeats(started);
      expect(await reconcileJobs(trialContracts, started)).toMatchObject({ requeued: 1 });
      expect((await client.waitForJob(id)).state).toBe('succeeded');
    });
  });
});

describe('a job accepted while its queue is unavailable', () => {
  const redis = it.skipIf(!backends.includes('redis'));

  redis.each(['is down', 'hangs'])('returns 202 and runs later when Redis %s', async how => {
    const [started, client] = await startService({
      backend: 'redis',
      redisUrl: async url => {
        proxy = await startTcpProxy(url);
        return proxy.url;
      },
    });
    await start(client, 'before');
    if (how === 'hangs') proxy?.hang();
    else await proxy?.cut();
    const startedAt = performance.now();
    const { id } = await start(client, 'during');
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    await proxy?.restore();
    await ageHeartbeats(started);
    await expect.poll(() => reconcileJobs(trialContracts, started).catch(() => undefined)).toBeDefined();
    started.startWorker(openTrials().servedKinds);
    expect((await client.waitForJob(id)).state).toBe('succeeded');
  });

  it('returns 202 and runs later when the queue in PostgreSQL is broken', async () => {
    const [started, client] = await startService({ backend: 'postgres' });
    await start(client, 'before');
    await started.database.execute(sql`alter schema bullmq rename to bullmq_renamed`);
    const { id } = await start(client, 'during');
    await started.database.execute(sql`alter schema bullmq_renamed rename to bullmq`);
    await ageHeartbeats(started);
    expect(await reconcileJobs(trialContracts, started)).toMatchObject({ checked: 2, requeued: 1 });
    started.startWorker(openTrials().servedKinds);
    expect((await client.waitForJob(id)).state).toBe('succeeded');
  });
});

/** Takes the next job and dies: its lock expires, as that of a killed process. */
async function workerThatDies({ openShortLockQueues }: TestService): Promise<() => Promise<void>> {
  const queues = await openShortLockQueues();
  const taken = gate();
  const processor: JobProcessor = () => {
    taken.open();
    return new Promise(() => undefined);
  };
  const worker = queues.worker(trialJob, processor, () => undefined);
  return async () => {
    await taken.opened;
    await worker.close(true);
    await queues.close();
  };
}
