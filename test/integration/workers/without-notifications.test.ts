/** Notifications of PostgreSQL can be missed: everything that they hasten happens without them as well. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tellCallbacks } from '../../../workers/runtime/callback-dispatcher.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { type CallbackReceiver, startCallbackReceiver } from '../../support/callback-receiver.ts';
import { openEventReader } from '../../support/event-reader.ts';
import { gate } from '../../support/gate.ts';
import { startTestService, type TestService } from '../../support/test-service.ts';
import { openTrials, trialContracts, trialOperations, untilTold } from '../../support/trial-jobs.ts';

describe('while no notification comes through', () => {
  let service: TestService;
  let client: ApiClient;
  let receiver: CallbackReceiver;
  const trials = openTrials();

  beforeAll(async () => {
    receiver = await startCallbackReceiver();
    service = await startTestService('no-notifications', {
      operations: trialOperations,
      contracts: trialContracts,
      env: { EGRESS_ALLOW: receiver.host },
    });
    await service.database.pool.query('alter table job disable trigger job_announced');
    client = await service.client(['trial']);
    service.startWorker(trials.posts);
  });
  afterAll(async () => {
    await service?.close();
    await receiver?.close();
  });

  const start = (name: string) =>
    client.askJob('POST', '/trials/trial', { body: { name } }).then(job => job.id);

  it.each(['obedient', 'deaf'])(
    'a running job that is %s has ended within 5 seconds of its cancelling',
    async name => {
      const release = gate();
      let cleanedUp = false;
      trials.when('obedient', context =>
        untilTold(context).finally(() => {
          cleanedUp = true;
        }),
      );
      trials.when('deaf', () => release.opened.then(() => 'too late'));
      const id = await start(name);
      await client.jobWhen(id, job => job.state === 'running');
      const asked = Date.now();
      await client.ask('DELETE', `/jobs/${id}`);
      expect(await client.jobWhen(id)).toMatchObject({ state: 'cancelled' });
      expect(Date.now() - asked).toBeLessThan(5_000);
      expect(cleanedUp).toBe(name === 'obedient');
      release.open();
    },
  );

  it('an event stream tells every change, and a request that waits is answered', async () => {
    const end = gate();
    trials.when('watched', () => end.opened.then(() => 'done'));
    const id = await start('watched');
    const reader = await openEventReader(service.origin, client.accessToken, id);
    await expect.poll(() => reader.events.length, { timeout: 10_000 }).toBe(2);
    end.open();
    await reader.ended;
    expect(reader.events.map(({ job }) => job.state)).toEqual(['queued', 'running', 'succeeded']);
    const waited = await client.ask('POST', '/trials/trial', {
      body: { name: 'waited' },
      headers: { prefer: 'wait=20' },
    });
    expect(waited.status).toBe(200);
  });

  it('a callback is told', async () => {
    const { publicUrl, config } = service;
    const options = { baseUrl: publicUrl, retrySeconds: [], allow: config.EGRESS_ALLOW };
    const unheard = { ...service, databaseUrl: 'postgresql://nobody@127.0.0.1:1/none' };
    const teller = tellCallbacks(unheard, options);
    await client.askJob('POST', '/trials/trial', {
      body: { name: 'told', callback: { url: receiver.url('/told') } },
    });
    await expect.poll(() => receiver.received('/told').length, { timeout: 10_000 }).toBe(1);
    await teller.stop();
  });
});
