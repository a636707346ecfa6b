/** DELETE /jobs/{id} in every state of a job. */
import { describe, expect, it } from 'vitest';
import { JobResource } from '../../../../../core/jobs/resource.ts';
import { gate } from '../../../../support/gate.ts';
import { backends, useService } from '../../../../support/test-service.ts';
import { openTrials, trialContracts, trialJob, trialOperations, untilAborted } from '../../../../support/trial-jobs.ts';
import { useTrials } from '../../../../support/use-trials.ts';

describe.each(backends)('cancelling on %s', backend => {
  const { service, client, trials, start } = useTrials(`cancel-${backend}`, () => ({ backend }));
  const cancel = (id: string) => client.request('DELETE', `/jobs/${id}`);

  it('does not start a cancelled job whose message is delivered later', async () => {
    trials.when('blocker', untilAborted);
    const id = await start('cancelled row');
    await client.waitForJob(id);
    const waiting = await service.records.create({
      id: id.replace(/.$/, last => (last === '0' ? '1' : '0')),
      kind: 'trial',
      clientId: client.clientId,
      payload: { name: 'never' },
      attemptsMax: 3,
    });
    await service.records.requestCancel(waiting.id);
    await service.jobs.requeue(trialJob, waiting);
    const message = async () => (await service.queues.queue(trialJob).getJob(waiting.id))?.getState();
    await expect.poll(message).toBe('completed');
    expect(trials.attempts('never')).toEqual([]);
    expect((await client.job(waiting.id)).state).toBe('cancelled');
  });

  it('aborts the signal of a running job, which ends within 5 seconds', async () => {
    let reason: unknown;
    trials.when('running', async context => {
      await untilAborted(context).catch(error => {
        reason = error;
      });
      return 'stopped half-way';
    });
    const id = await start('running');
    await client.waitForJob(id, job => job.state === 'running');
    const cancelledAt = Date.now();
    const { status, body } = await cancel(id);
    expect(status).toBe(202);
    expect(body).toMatchObject({ state: 'running' });
    await expect.poll(() => reason).toMatchObject({ reason: 'cancelled' });
    await client.waitForJob(id);
    expect(Date.now() - cancelledAt).toBeLessThan(5_000);
  });

  it('cancels a running job that throws on abort; it does not fail and is not retried', async () => {
    trials.when('obedient', untilAborted);
    const id = await start('obedient');
    await client.waitForJob(id, job => job.state === 'running');
    await cancel(id);
    expect(await client.waitForJob(id)).toMatchObject({ state: 'cancelled', result: null, attempts: { made: 1 } });
    expect(trials.attempts('obedient')).toEqual([1]);
  });

  it('ends a running job that ignores the signal within 5 seconds', async () => {
    const signalled = gate();
    trials.when('deaf', () => signalled.opened.then(() => 'too late'));
    const id = await start('deaf');
    await client.waitForJob(id, job => job.state === 'running');
    const cancelledAt = Date.now();
    await cancel(id);
    const job = await client.waitForJob(id);
    expect(Date.now() - cancelledAt).toBeLessThan(5_000);
    expect(job.state).toBe('cancelled');
    signalled.open();
  });

  it('cancels a job that waits for its next attempt at once', async () => {
    trials.when('scheduled', async () => {
      throw new Error('it may pass');
    });
    const waits = { ...trialJob, backoffMs: 600_000 };
    const { id } = await service.jobs.submit(waits, { clientId: client.clientId, payload: { name: 'scheduled' } });
    const message = async () => (await service.queues.queue(trialJob).getJob(id))?.getState();
    // The row says that the attempt ended a moment before the worker releases the message.
    await expect.poll(message).toBe('delayed');
    const { status, body } = await cancel(id);
    expect(status).toBe(200);
    expect(body).toMatchObject({ state: 'cancelled', attempts: { made: 1 } });
    expect(await message()).toBeUndefined();
  });

  it('does not change an ended job', async () => {
    const job = await client.waitForJob(await start('ended'));
    const { status, body } = await cancel(job.id);
    expect(status).toBe(200);
    expect(body).toEqual(job);
    expect(await client.job(job.id)).toEqual(job);
  });

  it('is idempotent', async () => {
    const id = await start('queued twice');
    const [one, two] = await Promise.all([cancel(id), cancel(id)]);
    expect([one.status, two.status].every(status => status === 200 || status === 202)).toBe(true);
    const job = await client.waitForJob(id);
    expect((await cancel(id)).body).toEqual(job);
  });
});

describe.each(backends)('cancelling on %s without a worker', backend => {
  const service = useService(`cancel-queued-${backend}`, () => ({
    backend,
    operations: trialOperations,
    contracts: trialContracts,
  }));
  const trials = openTrials();

  it('cancels a queued job at once; it never starts', async () => {
    const client = await service.client(['trial']);
    const start = (name: string) => client.requestJob('POST', '/trials/trial', { body: { name } }).then(job => job.id);
    const id = await start('queued');
    const { status, body } = await client.request('DELETE', `/jobs/${id}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ state: 'cancelled', startedAt: null, attempts: { made: 0 } });
    expect(JobResource.parse(body).finishedAt).not.toBeNull();

    const next = await start('after it');
    service.startWorker(trials.servedKinds);
    await client.waitForJob(next);
    expect(trials.attempts('queued')).toEqual([]);
    expect(await client.job(id)).toEqual(body);
  });
});
