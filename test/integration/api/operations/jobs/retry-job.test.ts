/** POST /jobs/{id}/retry in every state of a job. */
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../../../core/runtime/errors.ts';
import { gate } from '../../../../support/gate.ts';
import { backends } from '../../../../support/test-service.ts';
import { untilAborted } from '../../../../support/trial-jobs.ts';
import { useTrials } from '../../../../support/use-trials.ts';

describe.each(backends)('running a job again on %s', backend => {
  const { service, client, trials, start } = useTrials(`retry-${backend}`, () => ({ backend }));

  const retry = (id: string) => client.request('POST', `/jobs/${id}/retry`);

  const failOnce = (name: string) => {
    trials.when(name, async () => {
      if (trials.attempts(name).length === 1) {
        throw new ServiceError('invalid-input', 'Not this time.', { transient: false });
      }
      return 'better';
    });
  };

  it('resets a failed job, which then succeeds under the same id', async () => {
    failOnce('failed');
    const id = await start('failed');
    expect(await client.waitForJob(id)).toMatchObject({ state: 'failed', error: { detail: 'Not this time.' } });
    const { status, headers, body } = await retry(id);
    expect(status).toBe(202);
    expect(headers.get('location')).toBe(`/v2/jobs/${id}`);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(body).toMatchObject({
      id,
      state: 'queued',
      attempts: { made: 0, max: 3 },
      error: null,
      startedAt: null,
      finishedAt: null,
    });
    expect(await client.waitForJob(id)).toMatchObject({
      state: 'succeeded',
      attempts: { made: 1 },
      result: { said: 'better' },
    });
  });

  it('retries a job while its worker still holds the message of the failed attempt', async () => {
    failOnce('at once');
    const released = gate();
    const { fail } = service.records;
    service.records.fail = async (run, failure) => {
      const written = await fail(run, failure);
      await released.opened;
      return written;
    };
    const { id } = await client.requestJob('POST', '/trials/trial', {
      body: { name: 'at once' },
      headers: { prefer: 'wait=30' },
    });
    const retried = retry(id);
    await expect.poll(async () => (await client.job(id)).state).toBe('queued');
    service.records.fail = fail;
    released.open();
    expect((await retried).status).toBe(202);
    expect(await client.waitForJob(id)).toMatchObject({ state: 'succeeded', attempts: { made: 1 } });
  });

  it('retries a cancelled job', async () => {
    trials.when('cancelled', async context =>
      trials.attempts('cancelled').length === 1 ? untilAborted(context) : 'done',
    );
    const id = await start('cancelled');
    await client.waitForJob(id, job => job.state === 'running');
    await client.request('DELETE', `/jobs/${id}`);
    expect((await client.waitForJob(id)).state).toBe('cancelled');
    expect((await retry(id)).status).toBe(202);
    expect(await client.waitForJob(id)).toMatchObject({ state: 'succeeded', result: { said: 'done' } });
  });

  it('returns 409 for a running or succeeded job', async () => {
    const finish = gate();
    trials.when('running', () => finish.opened.then(() => 'done'));
    const id = await start('running');
    await client.waitForJob(id, job => job.state === 'running');
    expect((await retry(id)).status).toBe(409);
    finish.open();
    const job = await client.waitForJob(id);
    expect(job.state).toBe('succeeded');
    expect((await retry(id)).status).toBe(409);
    expect(await client.job(id)).toEqual(job);
    expect(trials.attempts('running')).toEqual([1]);
  });

  it('accepts one of two concurrent requests', async () => {
    failOnce('twice');
    const id = await start('twice');
    await client.waitForJob(id);
    const answers = await Promise.all([retry(id), retry(id)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409]);
    expect((await client.waitForJob(id)).state).toBe('succeeded');
    expect(trials.attempts('twice')).toEqual([1, 1]);
  });
});
