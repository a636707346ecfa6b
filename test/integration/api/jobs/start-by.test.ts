/** `startBy`: a job that has not started by this time is cancelled. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { reconcileJobs } from '../../../../core/jobs/reconciler.ts';
import { backends, useClient, useService } from '../../../support/test-service.ts';
import { openTrials, trialContracts, trialOperations } from '../../../support/trial-jobs.ts';

describe.each(backends)('a job with startBy, queued on %s', backend => {
  const service = useService(`start-by-${backend}`, () => ({
    backend,
    operations: trialOperations,
    contracts: trialContracts,
  }));
  const client = useClient(service, ['trial']);
  const trials = openTrials();

  /** Starts a worker for one test. */
  const startWorker = () => {
    const worker = service.startWorker(trials.servedKinds);
    onTestFinished(() => worker.stop());
  };
  const start = (name: string, startBy: Date) =>
    client.requestJob('POST', '/trials/trial', { body: { name, startBy: startBy.toISOString() } });
  const soon = () => new Date(Date.now() + 1_000);
  const passed = (time: Date) => expect.poll(() => Date.now(), { interval: 20 }).toBeGreaterThan(time.getTime());
  /** Its startBy is in the past. */
  const pass = (id: string) =>
    service.database.pool.query(`update job set start_by = now() - interval '1 second' where id = $1`, [id]);
  const cancelled = {
    state: 'cancelled',
    startedAt: null,
    attempts: { made: 0 },
    error: { type: 'http://portal.example/v2/problems/job-not-begun', status: 503 },
  };

  it('is rejected when startBy is in the past', async () => {
    const newcomer = await service.client(['trial']);
    const { status, body } = await newcomer.request('POST', '/trials/trial', {
      body: { name: 'past', startBy: '2026-01-31T08:00:00Z' },
    });
    expect(status).toBe(422);
    expect(body).toMatchObject({ errors: [{ pointer: '/startBy' }] });
    const { body: list } = await newcomer.request('GET', '/jobs');
    expect(list).toMatchObject({ items: [] });
  });

  it('is cancelled by the reconciler when no worker takes it, with the reason', async () => {
    const startBy = soon();
    const { id } = await start('not taken', startBy);
    const later = await start('later', new Date(Date.now() + 600_000));
    await passed(startBy);
    const report = await reconcileJobs(trialContracts, service);
    expect(report.cancelled).toBe(1);
    expect(await client.job(id)).toMatchObject({
      ...cancelled,
      startBy: startBy.toISOString(),
      error: { instance: `/v2/jobs/${id}` },
    });
    expect((await client.job(later.id)).state).toBe('queued');
  });

  it('is cancelled when a worker takes it too late, and does not start', async () => {
    const startBy = soon();
    const { id } = await start('late', startBy);
    const inTime = await start('in time', new Date(Date.now() + 600_000));
    await passed(startBy);
    startWorker();
    expect(await client.waitForJob(id)).toMatchObject(cancelled);
    expect(await client.waitForJob(inTime.id)).toMatchObject({ state: 'succeeded' });
    expect(trials.attempts('late')).toEqual([]);
  });

  it('continues and is retried after startBy when it started in time', async () => {
    startWorker();
    trials.when('begun', async context => {
      if (context.attempt > 1) return 'in the end';
      await pass(context.jobId);
      throw new Error('transient');
    });
    const { id } = await start('begun', new Date(Date.now() + 600_000));
    expect(await client.waitForJob(id)).toMatchObject({ state: 'succeeded', attempts: { made: 2 } });
  });

  it('can be retried after it was cancelled, without its startBy', async () => {
    const startBy = new Date(Date.now() + 60_000);
    const { id } = await service.records.create({
      id: 'trial_019aa5f1-0000-7000-8000-000000000001',
      kind: 'trial',
      clientId: client.clientId,
      payload: { name: 'again' },
      attemptsMax: 3,
      startBy,
    });
    await pass(id);
    await service.records.cancelOverdue();
    expect(await client.job(id)).toMatchObject(cancelled);
    startWorker();
    await client.requestJob('POST', `/jobs/${id}/retry`);
    expect(await client.waitForJob(id)).toMatchObject({ state: 'succeeded', startBy: null, error: null });
  });
});
