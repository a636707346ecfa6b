/** Runs of jobs with the real API, queue and worker: success, progress, failures, retries, timeout. */
import { sql } from 'drizzle-orm';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../../core/runtime/errors.ts';
import { hasEnded } from '../../../support/api-client.ts';
import { gate } from '../../../support/gate.ts';
import { backends } from '../../../support/test-service.ts';
import { trialJob, untilAborted } from '../../../support/trial-jobs.ts';
import { useTrials } from '../../../support/use-trials.ts';

describe.each(backends)('a job on %s', backend => {
  const { service, client, trials } = useTrials(`run-job-${backend}`, () => ({ backend }));

  const start = (name: string, kind = 'trial') =>
    client.requestJob('POST', `/trials/${kind}`, { body: { name } }).then(job => job.id);

  it('succeeds with result, warnings, times and one attempt', async () => {
    trials.when('success', async context => {
      context.warn({ pointer: '/name', detail: 'It is a strange name.' });
      return 'done';
    });
    const job = await client.waitForJob(await start('success'));
    expect(job).toMatchObject({
      kind: 'trial',
      state: 'succeeded',
      progress: { stage: 'done', percent: 100 },
      attempts: { made: 1, max: 3 },
      result: { said: 'done' },
      error: null,
      warnings: [{ pointer: '/name', detail: 'It is a strange name.' }],
      links: { self: `/v2/jobs/${job.id}`, result: `/v2/jobs/${job.id}/result` },
    });
    const times = [job.createdAt, job.startedAt, job.finishedAt].map(time => Date.parse(time ?? ''));
    expect(times.toSorted((a, b) => a - b)).toEqual(times);
  });

  it('shows its progress in order; the percentage never decreases', async () => {
    const seen = { one: gate(), two: gate(), three: gate() };
    trials.when('progress', async context => {
      context.progress('one', 1, 4, 10);
      await seen.one.opened;
      context.progress('two', 3, 4, 60.4);
      await seen.two.opened;
      context.progress('three', 1, 9, 20);
      await seen.three.opened;
      return 'done';
    });
    const id = await start('progress');
    const at = async (stage: string) => (await client.waitForJob(id, job => job.progress?.stage === stage)).progress;
    expect(await at('one')).toEqual({ stage: 'one', done: 1, total: 4, percent: 10 });
    seen.one.open();
    expect(await at('two')).toEqual({ stage: 'two', done: 3, total: 4, percent: 60 });
    seen.two.open();
    expect(await at('three')).toEqual({ stage: 'three', done: 1, total: 9, percent: 60 });
    seen.three.open();
    expect((await client.waitForJob(id)).progress?.percent).toBe(100);
  });

  it('fails at once with a permanent error, with its problem and pointers', async () => {
    trials.when('permanent', async () => {
      throw new ServiceError('photo-unavailable', 'A photo is not available.', {
        faults: [{ pointer: '/list/0/photo/1', detail: 'The server answered 404.' }],
      });
    });
    const job = await client.waitForJob(await start('permanent'));
    expect(job).toMatchObject({
      state: 'failed',
      attempts: { made: 1, max: 3 },
      result: null,
      error: {
        type: 'http://portal.example/v2/problems/photo-unavailable',
        status: 422,
        detail: 'A photo is not available.',
        errors: [{ pointer: '/list/0/photo/1', detail: 'The server answered 404.' }],
      },
    });
    expect(trials.attempts('permanent')).toEqual([1]);
  });

  it('is scheduled and retried after a transient error', async () => {
    const seen = gate();
    trials.when('transient', async context => {
      if (context.attempt === 1) throw new ServiceError('upstream-failed', 'The CRM is away.');
      await seen.opened;
      return `at attempt ${context.attempt}`;
    });
    const id = await start('transient');
    const again = await client.waitForJob(id, job => job.state === 'running' && job.attempts.made === 2);
    expect(again.error).toMatchObject({ detail: 'The CRM is away.' });
    expect(again.finishedAt).toBeNull();
    seen.open();
    expect(await client.waitForJob(id)).toMatchObject({
      state: 'succeeded',
      attempts: { made: 2, max: 3 },
      result: { said: 'at attempt 2' },
      error: null,
    });
    expect(trials.attempts('transient')).toEqual([1, 2]);
  });

  it('fails when all attempts end with transient errors', async () => {
    trials.when('hopeless', async () => {
      throw new ServiceError('upstream-timeout', 'The CRM does not answer.');
    });
    expect(await client.waitForJob(await start('hopeless'))).toMatchObject({
      state: 'failed',
      attempts: { made: 3, max: 3 },
      error: { type: 'http://portal.example/v2/problems/upstream-timeout', status: 504 },
    });
    expect(trials.attempts('hopeless')).toEqual([1, 2, 3]);
  });

  it('hides the details of an unexpected error', async () => {
    trials.when('bug', async () => {
      throw new TypeError('password hunter2 is not a function');
    });
    const job = await client.waitForJob(await start('bug'));
    expect(job).toMatchObject({
      state: 'failed',
      error: { type: 'http://portal.example/v2/problems/internal-error' },
    });
    expect(JSON.stringify(job)).not.toContain('hunter2');
  });

  it('is stopped at its timeout and fails at once', async () => {
    trials.when('slow', untilAborted);
    const job = await client.waitForJob(await start('slow', 'hasty'));
    expect(job).toMatchObject({
      state: 'failed',
      attempts: { made: 1, max: 3 },
      error: { type: 'http://portal.example/v2/problems/job-timed-out', status: 504 },
    });
  });

  it('ends at its timeout although the handler ignores its signal, and ignores its later result', async () => {
    const finish = gate();
    trials.when('deaf', async context => {
      await finish.opened;
      context.progress('too late', 9, 9, 99);
      return 'too late';
    });
    const job = await client.waitForJob(await start('deaf', 'hasty'));
    expect(job).toMatchObject({ state: 'failed', error: { status: 504 } });
    finish.open();
    await client.waitForJob(await start('after the deaf one'));
    expect(await client.job(job.id)).toEqual(job);
  });

  it('succeeds once although its message arrives twice', async () => {
    const id = await start('once');
    const job = await client.waitForJob(id);
    const message = async () => (await service.queues.queue(trialJob).getJob(id))?.getState();
    await expect.poll(message).toBe('completed');
    await service.jobs.requeue(trialJob, { id, payload: { name: 'once' }, priority: 1 });
    await expect.poll(message).toBe('completed');
    expect(trials.attempts('once')).toEqual([1]);
    expect(await client.job(id)).toEqual(job);
  });

  it('stops the run that has lost its claim, which then writes nothing', async () => {
    const reason = gate();
    let stopped: unknown;
    trials.when('taken over', async context => {
      context.progress('working', 1, 2, 50);
      await untilAborted(context).catch(error => {
        stopped = error;
      });
      reason.open();
      return 'the loser’s result';
    });
    const id = await start('taken over');
    await client.waitForJob(id, job => job.progress?.stage === 'working');
    const runId = 'ffffffff-ffff-4fff-bfff-ffffffffffff';
    await service.database.execute(sql`update job set run_id = ${runId} where id = ${id}`);
    await reason.opened;
    expect(stopped).toMatchObject({ reason: 'claim-lost' });
    const message = async () => (await service.queues.queue(trialJob).getJob(id))?.getState();
    await expect.poll(message).not.toBe('active');
    const { rows } = await service.database.execute(sql`select state, run_id, result from job where id = ${id}`);
    expect(rows).toEqual([{ state: 'running', run_id: runId, result: null }]);
  });

  it('announces its begin, progress and end; a reason to stop only to workers; no heartbeats', async () => {
    const heard: { job: string[]; job_stop: string[] } = { job: [], job_stop: [] };
    const probed = new Set<string>();
    const subscribe = (change: keyof typeof heard) =>
      service.changes.subscribe(change, jobId => {
        heard[change].push(jobId);
        if (jobId === 'probe') probed.add(change);
      });
    const subscriptions = [subscribe('job'), subscribe('job_stop')];
    const report = gate();
    trials.when('idle', async context => {
      context.progress('working', 1, 2, 50);
      await report.opened;
      return await untilAborted(context);
    });
    // The subscriptions take a moment.
    const isSubscribed = () => {
      service.changes.announce('job', 'probe');
      service.changes.announce('job_stop', 'probe');
      return probed.size;
    };
    await expect.poll(isSubscribed).toBe(2);
    const id = await start('idle');
    await client.waitForJob(id, job => job.progress?.stage === 'working');
    const touched = async () => {
      const { rows } = await service.database.execute(sql`select touched_at::text from job where id = ${id}`);
      return rows[0]?.touched_at;
    };
    const first = await touched();
    await expect.poll(touched).not.toBe(first);
    report.open();
    await client.request('DELETE', `/jobs/${id}`);
    await client.waitForJob(id, hasEnded);
    // Begun, progress, cancellation requested, cancelled.
    const announced = (change: keyof typeof heard) => heard[change].filter(jobId => jobId === id).length;
    await expect
      .poll(() => ({ job: announced('job'), job_stop: announced('job_stop') }))
      .toEqual({ job: 4, job_stop: 1 });
    await Promise.all(subscriptions.map(each => each.close()));
  });

  it('sends nothing through PostgreSQL when there is Redis', async () => {
    const heard: string[] = [];
    const listener = new pg.Client(service.databaseUrl);
    await listener.connect();
    listener.on('notification', ({ payload = '' }) => heard.push(payload));
    await listener.query('listen job');
    const id = await start('announced');
    await client.waitForJob(id);
    if (backend === 'postgres') await expect.poll(() => heard).toContain(id);
    await listener.query(`select pg_notify('job', 'last')`);
    await expect.poll(() => heard).toContain('last');
    expect(heard.includes(id)).toBe(backend === 'postgres');
    await listener.end();
  });
});
