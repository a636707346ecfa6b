/** Without announcements of changes every process polls: cancellations, event streams, waits and callbacks still work. */
import { afterAll, describe, expect, it } from 'vitest';
import { startCallbackDispatcher } from '../../../workers/runtime/callback-dispatcher.ts';
import { startCallbackReceiver } from '../../support/callback-receiver.ts';
import { openEventReader } from '../../support/event-reader.ts';
import { gate } from '../../support/gate.ts';
import { untilAborted } from '../../support/trial-jobs.ts';
import { useTrials } from '../../support/use-trials.ts';

const receiver = await startCallbackReceiver();
afterAll(receiver.close);

describe('without announcements', () => {
  const { service, client, trials, start } = useTrials('no-notifications', () => ({
    env: { EGRESS_ALLOW: receiver.host },
    announces: false,
  }));

  it.each(['that reacts to its signal', 'that ignores its signal'])(
    'a running job %s ends within 5 seconds after its cancellation',
    async name => {
      const release = gate();
      let cleanedUp = false;
      trials.when('that reacts to its signal', context =>
        untilAborted(context).finally(() => {
          cleanedUp = true;
        }),
      );
      trials.when('that ignores its signal', () => release.opened.then(() => 'too late'));
      const id = await start(name);
      await client.waitForJob(id, job => job.state === 'running');
      const cancelledAt = Date.now();
      await client.request('DELETE', `/jobs/${id}`);
      expect(await client.waitForJob(id)).toMatchObject({ state: 'cancelled' });
      expect(Date.now() - cancelledAt).toBeLessThan(5_000);
      expect(cleanedUp).toBe(name === 'that reacts to its signal');
      release.open();
    },
  );

  it('an event stream sends every change, and a waiting request is answered', async () => {
    const end = gate();
    trials.when('watched', () => end.opened.then(() => 'done'));
    const id = await start('watched');
    const reader = await openEventReader(service.origin, client.accessToken, id);
    await expect.poll(() => reader.events.length).toBe(2);
    end.open();
    await reader.ended;
    expect(reader.events.map(({ job }) => job.state)).toEqual(['queued', 'running', 'succeeded']);
    const waited = await client.request('POST', '/trials/trial', {
      body: { name: 'waited' },
      headers: { prefer: 'wait=20' },
    });
    expect(waited.status).toBe(200);
  });

  it('a callback is sent', async () => {
    const { publicUrl, config } = service;
    const options = { baseUrl: publicUrl, retrySeconds: [], allow: config.EGRESS_ALLOW };
    const dispatcher = startCallbackDispatcher(service, options);
    await client.requestJob('POST', '/trials/trial', {
      body: { name: 'callback', callback: { url: receiver.url('/callback') } },
    });
    await expect.poll(() => receiver.received('/callback').length).toBe(1);
    await dispatcher.stop();
  });
});
