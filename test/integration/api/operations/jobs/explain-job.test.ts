/** GET /jobs/{id}/explain. */
import { sql } from 'drizzle-orm';
import { beforeAll, describe, expect, it } from 'vitest';
import { Explanation } from '../../../../../api/jobs/job-explanation.ts';
import { waitingFor } from '../../../../../core/integrations/kit/call-context.ts';
import { gate } from '../../../../support/gate.ts';
import { backends, useClient, useService } from '../../../../support/test-service.ts';
import { openTrials, trialContracts, trialJob, trialOperations } from '../../../../support/trial-jobs.ts';

const limited = { ...trialJob, concurrency: 1 };
const contracts = new Map([...trialContracts, ['trial', limited]]);

describe.each(backends)('the explanation of a job, queued on %s', backend => {
  const service = useService(`explain-${backend}`, () => ({ backend, operations: trialOperations, contracts }));
  const client = useClient(service, ['trial']);
  let first: string;
  let withoutWorker: Explanation;
  const trials = openTrials();
  const servedKinds = trials.servedKinds.map(served =>
    served.contract.kind === 'trial' ? { ...served, contract: limited } : served,
  );

  beforeAll(async () => {
    first = await start('first');
    withoutWorker = await explain(first);
    service.startWorker(servedKinds);
    // Later jobs of the kind are estimated from this one.
    await client.waitForJob(first);
  });

  const start = (name: string, as = client) =>
    as.requestJob('POST', '/trials/trial', { body: { name } }).then(job => job.id);
  const explain = async (id: string, as = client) =>
    Explanation.parse((await as.request('GET', `/jobs/${id}/explain`)).body);

  it('reports that no worker is running for the kind', () =>
    expect(withoutWorker).toMatchObject({
      state: 'queued',
      cause: 'no-worker',
      reason: 'No worker for jobs of the kind trial is running; the job waits for one.',
      workers: { alive: 0, places: 0 },
      startsInSeconds: null,
      endsInSeconds: null,
      typical: null,
    }));

  it('reports that a job has ended', async () =>
    expect(await explain(first)).toMatchObject({
      cause: 'ended',
      reason: 'The job has ended: it succeeded.',
      endsInSeconds: 0,
    }));

  it('computes the end of a running job from its progress', async () => {
    const done = gate();
    trials.when('projected', async ({ progress }) => {
      progress('working', 3, 4, 75);
      await done.opened;
      return 'done';
    });
    const id = await start('projected');
    await client.waitForJob(id, job => job.progress?.percent === 75);
    await service.database.execute(sql`update job set started_at = now() - interval '90 seconds' where id = ${id}`);
    expect((await explain(id)).endsInSeconds).toSatisfy((seconds: number) => seconds >= 30 && seconds < 40);
    done.open();
    await client.waitForJob(id);
    await service.database.execute(sql`delete from job where id = ${id}`);
  });

  it('reports a running job and its estimate', async () => {
    const blocking = gate();
    trials.when('blocking', () => blocking.opened.then(() => 'done'));
    const running = await start('blocking');
    await client.waitForJob(running, job => job.state === 'running');
    // Typical times of a kind are cached for some seconds.
    await expect.poll(async () => (await explain(running)).typical?.jobs).toBeGreaterThan(0);
    const { cause, startsInSeconds: startsIn, endsInSeconds: endsIn } = await explain(running);
    expect([cause, startsIn]).toEqual(['running', 0]);
    expect(endsIn).toBeGreaterThan(0);

    const second = await start('second');
    expect(await explain(second)).toMatchObject({ cause: 'next', queue: { before: 0, running: 1 } });
    const third = await start('third');
    expect(await explain(third)).toMatchObject({
      cause: 'behind-others',
      reason: '1 job is ahead of it, from the same client.',
      queue: { before: 1, ownBefore: 1, running: 1, ownRunning: 1 },
      workers: { alive: 1, places: 1 },
    });
    const { startsInSeconds, endsInSeconds } = await explain(third);
    expect(startsInSeconds).toBeGreaterThan(0);
    expect(endsInSeconds).toBeGreaterThan(startsInSeconds ?? 0);

    const queue = service.queues.boardQueue(limited);
    await queue.pause();
    expect(await explain(third)).toMatchObject({ cause: 'paused', startsInSeconds: null });
    await queue.resume();
    blocking.open();
    await client.waitForJob(third);
  });

  it('reports the time of the next attempt', async () => {
    trials.when('passing', async () => {
      throw new Error('it may pass');
    });
    const slow = { ...limited, backoffMs: 60_000 };
    const { id } = await service.jobs.submit(slow, { clientId: client.clientId, payload: { name: 'passing' } });
    await client.waitForJob(id, job => job.state === 'scheduled');
    // The queue is updated shortly after the row.
    await expect.poll(async () => (await explain(id)).startsInSeconds).toBeGreaterThan(20);
    const { cause, reason, nextAttemptAt, startsInSeconds } = await explain(id);
    expect(cause).toBe('next-attempt');
    expect(reason).toContain(`waits for the next one at ${nextAttemptAt}`);
    expect(startsInSeconds).toBeLessThanOrEqual(60);
    await client.request('DELETE', `/jobs/${id}`);
  });

  it.each(['run time of the CRM', 'the rate limit of the CRM', 'the circuit of the CRM'])(
    'reports that the calls of a running job wait for %s',
    async reason => {
      const done = gate();
      trials.when(reason, () => waitingFor(reason, () => done.opened.then(() => 'done')));
      const id = await start(reason);
      const running = 'The job is running, in attempt 1';
      await expect.poll(async () => (await explain(id)).reason).toBe(`${running}; its calls wait for ${reason}.`);
      done.open();
      await client.waitForJob(id);
    },
  );

  it('reports a requested cancellation', async () => {
    const deaf = gate();
    trials.when('deaf', () => deaf.opened.then(() => 'too late'));
    const id = await start('deaf');
    await client.waitForJob(id, job => job.state === 'running');
    await client.request('DELETE', `/jobs/${id}`);
    expect(await explain(id)).toMatchObject({ cause: 'cancelling' });
    deaf.open();
    await client.waitForJob(id);
  });
});
