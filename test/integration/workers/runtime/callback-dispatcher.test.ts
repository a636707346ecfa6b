/** Callbacks: signed posts at the end of jobs, retried until one is delivered or the last try fails. */
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { JobResource } from '../../../../core/jobs/resource.ts';
import { ServiceError } from '../../../../core/runtime/errors.ts';
import type { Interval } from '../../../../core/runtime/interval.ts';
import { startCallbackDispatcher } from '../../../../workers/runtime/callback-dispatcher.ts';
import { type Received, startCallbackReceiver } from '../../../support/callback-receiver.ts';
import { gate } from '../../../support/gate.ts';
import { trialJob, untilAborted } from '../../../support/trial-jobs.ts';
import { useTrials } from '../../../support/use-trials.ts';

const Secret = z.object({ secret: z.string(), previousSecretExpiresAt: z.string().nullable() });
const Timeline = z.object({ items: z.array(z.object({ type: z.string(), text: z.string() })) });

const receiver = await startCallbackReceiver();
afterAll(receiver.close);

describe('callbacks', () => {
  const { service, client, trials } = useTrials('callbacks', () => ({ env: { EGRESS_ALLOW: receiver.host } }));
  let dispatcher: Pick<Interval, 'runNow' | 'stop'>;
  beforeAll(() => {
    dispatcher = startDispatcher();
  });
  afterAll(() => dispatcher.stop());

  /** Delivers like a worker process, with short waits between tries. */
  const startDispatcher = () => {
    const { config } = service;
    const allow = config.EGRESS_ALLOW;
    return startCallbackDispatcher(service, {
      baseUrl: 'https://portal.example/v2',
      retrySeconds: [0.05, 0.05],
      allow,
    });
  };
  const start = (name: string, path = `/${name}`, as = client) =>
    as.requestJob('POST', '/trials/trial', { body: { name, callback: { url: receiver.url(path) } } });
  const secretOf = async (as = client) => Secret.parse((await as.request('GET', '/jobs/callback-secret')).body);
  const postsTo = async (path: string, times = 1): Promise<Received[]> => {
    await expect.poll(() => receiver.received(path).length).toBeGreaterThanOrEqual(times);
    return receiver.received(path);
  };
  const callbackWhen = async (id: string, state: string) => {
    await expect.poll(async () => (await client.job(id)).callback?.state).toBe(state);
    return (await client.job(id)).callback;
  };
  const verified = (secret: string, { body, headers }: Received) =>
    JobResource.parse(new Webhook(secret).verify(body, headers));

  it('are posted once for a succeeded job, with a signature that the Standard Webhooks library accepts', async () => {
    const { id, callback } = await start('success');
    expect(callback).toEqual({
      url: receiver.url('/success'),
      state: 'pending',
      tries: 0,
      lastStatus: null,
      nextTryAt: null,
    });
    const [received] = await postsTo('/success');
    if (!received) throw new Error('nothing came');
    expect(received.method).toBe('POST');
    expect(received.headers['content-type']).toBe('application/json');
    const job = verified((await secretOf()).secret, received);
    expect(job).toMatchObject({ id, state: 'succeeded', result: { said: 'success' }, callback: null });
    expect(job.links.result).toBe(`https://portal.example/v2/jobs/${id}/result`);
    expect(await callbackWhen(id, 'delivered')).toMatchObject({ tries: 1, lastStatus: 204, nextTryAt: null });
    expect(receiver.received('/success')).toHaveLength(1);
  });

  it('are posted for failed and cancelled jobs', async () => {
    trials.when('failure', async () => {
      throw new ServiceError('invalid-input', 'It never could.');
    });
    trials.when('cancelled', untilAborted);
    await start('failure');
    const { id } = await start('cancelled');
    await client.waitForJob(id, job => job.state === 'running');
    await client.request('DELETE', `/jobs/${id}`);
    const { secret } = await secretOf();
    const [failed] = await postsTo('/failure');
    const [cancelled] = await postsTo('/cancelled');
    expect(failed && verified(secret, failed)).toMatchObject({ state: 'failed', error: { detail: 'It never could.' } });
    expect(cancelled && verified(secret, cancelled)).toMatchObject({ id, state: 'cancelled' });
  });

  it('are retried after a 500 with the same id and body, and both tries are in the timeline', async () => {
    receiver.answerWith('/second', time => (time === 1 ? 500 : 200));
    const { id } = await start('second');
    const [first, second] = await postsTo('/second', 2);
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    expect(second?.body).toBe(first?.body);
    expect(second && verified((await secretOf()).secret, second).state).toBe('succeeded');
    expect(await callbackWhen(id, 'delivered')).toMatchObject({ tries: 2, lastStatus: 200 });
    const { items } = Timeline.parse((await client.request('GET', `/jobs/${id}/timeline`)).body);
    const tries = items.filter(item => item.type === 'callback-tried').map(item => item.text);
    expect(tries).toEqual([
      expect.stringMatching(/^Try 1 to deliver the callback failed, the next is due at .*: the server answered 500\.$/),
      'The callback was delivered at try 2.',
    ]);
  });

  it('fail after the last try', async () => {
    receiver.answerWith('/never', () => 503);
    const { id } = await start('never');
    expect(await callbackWhen(id, 'failed')).toMatchObject({ tries: 3, lastStatus: 503, nextTryAt: null });
    expect(receiver.received('/never')).toHaveLength(3);
  });

  it('fail at once when the receiver answers 410', async () => {
    receiver.answerWith('/gone', () => 410);
    const { id } = await start('gone');
    expect(await callbackWhen(id, 'failed')).toMatchObject({ tries: 1, lastStatus: 410, nextTryAt: null });
  });

  it('do not follow redirects', async () => {
    receiver.answerWith('/moved', () => 307);
    const { id } = await start('moved');
    expect(await callbackWhen(id, 'failed')).toMatchObject({ tries: 3 });
    expect(receiver.received('/elsewhere')).toEqual([]);
  });

  it('are not sent to private addresses, also not through a public name', async () => {
    const rejected = await client.request('POST', '/trials/trial', {
      body: { name: 'private', callback: { url: 'http://10.0.0.7/hook' } },
    });
    expect(rejected.status).toBe(422);
    expect(rejected.body).toMatchObject({ errors: [{ pointer: '/callback/url' }] });

    const { id } = await service.jobs.submit(trialJob, {
      clientId: client.clientId,
      payload: { name: 'private' },
      callbackUrl: 'http://localhost/hook',
    });
    expect(await callbackWhen(id, 'failed')).toMatchObject({ tries: 1, lastStatus: null });
  });

  it('have both signatures during the grace period of a rotation, then only the new one', async () => {
    const own = await service.client(['trial']);
    const before = await secretOf(own);
    const rotate = async (gracePeriodSeconds: number) =>
      Secret.parse((await own.request('POST', '/jobs/callback-secret/rotate', { body: { gracePeriodSeconds } })).body);
    const after = await rotate(600);
    expect(after.secret).not.toBe(before.secret);
    expect(after.previousSecretExpiresAt).not.toBeNull();
    await start('both', '/both', own);
    const [both] = await postsTo('/both');
    for (const { secret } of [before, after]) expect(both && verified(secret, both).state).toBe('succeeded');

    const last = await rotate(0);
    expect(last.previousSecretExpiresAt).toBeNull();
    await start('one', '/one', own);
    const [one] = await postsTo('/one');
    expect(one && verified(last.secret, one).state).toBe('succeeded');
    for (const { secret } of [before, after]) expect(() => one && verified(secret, one)).toThrow();
  });

  it('are signed with the secret of their client', async () => {
    const other = await service.client(['trial']);
    await start('theirs', '/theirs', other);
    const [received] = await postsTo('/theirs');
    expect(received && verified((await secretOf(other)).secret, received).state).toBe('succeeded');
    expect((await secretOf(other)).secret).not.toBe((await secretOf()).secret);
  });

  it('are not delayed by the slow receiver of another client', async () => {
    const slow = gate();
    receiver.answerWith('/slow', async () => {
      await slow.opened;
      return 200;
    });
    const other = await service.client(['trial']);
    await Promise.all(Array.from({ length: 30 }, () => start('slow', '/slow', other)));
    await postsTo('/slow', 5);
    await start('quick');
    await postsTo('/quick');
    expect(receiver.received('/slow').length).toBe(5);
    slow.open();
    await postsTo('/slow', 30);
  });

  it('are sent once, also with several worker processes', async () => {
    const more = [startDispatcher(), startDispatcher()];
    const jobs = await Promise.all(Array.from({ length: 25 }, () => start('once')));
    for (const { id } of jobs) await callbackWhen(id, 'delivered');
    const ids = receiver.received('/once').map(({ body }) => JobResource.parse(JSON.parse(body)).id);
    expect(ids.sort()).toEqual(jobs.map(({ id }) => id).sort());
    await Promise.all(more.map(one => one.stop()));
  });

  it('are sent again, as a new message, at the end of a retried job', async () => {
    let runs = 0;
    trials.when('rerun', async () => {
      if (runs++ === 0) throw new ServiceError('invalid-input', 'Not this time.');
      return 'at last';
    });
    const { id } = await start('rerun');
    await postsTo('/rerun');
    await callbackWhen(id, 'delivered');
    await client.requestJob('POST', `/jobs/${id}/retry`);
    const [first, second] = await postsTo('/rerun', 2);
    expect(second?.headers['webhook-id']).not.toBe(first?.headers['webhook-id']);
    expect([first, second].map(one => one && JobResource.parse(JSON.parse(one.body)).state)).toEqual([
      'failed',
      'succeeded',
    ]);
  });
});
