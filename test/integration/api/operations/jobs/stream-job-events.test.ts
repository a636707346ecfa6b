import net from 'node:net';
import { describe, expect, it } from 'vitest';
import { buildApp } from '../../../../../api/app.ts';
import type { JobContext } from '../../../../../core/jobs/handler.ts';
import { openJobWaiter } from '../../../../../core/jobs/waiter.ts';
import { sha256 } from '../../../../../core/oauth/credentials.ts';
import { openSseLimiter } from '../../../../../core/rate-limits/stream-limits.ts';
import { ServiceError } from '../../../../../core/runtime/errors.ts';
import { type EventReader, openEventReader, type StreamEvent } from '../../../../support/event-reader.ts';
import { type Gate, gate } from '../../../../support/gate.ts';
import { useTrials } from '../../../../support/use-trials.ts';

const heartbeatMs = 100;

describe('the event stream of a job', () => {
  const { service, client, trials, start } = useTrials('stream', () => ({
    env: { EVENT_HEARTBEAT_MS: String(heartbeatMs), MAX_EVENT_STREAMS: '3' },
  }));

  const listen = (id: string, lastEventId?: string, origin = service.origin) =>
    openEventReader(origin, client.accessToken, id, lastEventId);
  const states = (events: readonly StreamEvent[]) => events.map(({ job }) => job.state);
  const percents = (events: readonly StreamEvent[]) => events.flatMap(({ job }) => job.progress?.percent ?? []);

  /** A job that advances one step per gate; each step is stored before the next one starts. */
  async function steps(context: JobContext, gates: readonly Gate[]): Promise<string> {
    for (const [index, next] of gates.entries()) {
      context.progress('steps', index + 1, gates.length, (index + 1) * 10);
      await next.opened;
    }
    return 'walked';
  }
  const seen = (reader: EventReader, percent: number) => expect.poll(() => percents(reader.events)).toContain(percent);

  it('sends every change from acceptance to the end with the job at that time, then closes', async () => {
    const gates = [gate(), gate()];
    trials.when('whole', context => steps(context, gates));
    const id = await start('whole');
    const reader = await listen(id);
    expect(reader.status).toBe(200);
    expect(reader.headers.get('content-type')).toBe('text/event-stream');
    expect(reader.headers.get('cache-control')).toBe('no-store');
    for (const [index, next] of gates.entries()) {
      await seen(reader, (index + 1) * 10);
      next.open();
    }
    await reader.ended;
    expect(reader.retryMs).toBe(2_000);
    expect(states(reader.events)).toEqual(['queued', 'running', 'running', 'running', 'succeeded']);
    expect(percents(reader.events)).toEqual([10, 20, 100]);
    expect(reader.events.map(({ job }) => job.result)).toEqual([null, null, null, null, { said: 'walked' }]);
    expect(reader.events.at(-1)?.job).toEqual(await client.job(id));
    const ids = reader.events.map(event => Number(event.id));
    expect(ids).toEqual([...ids].sort((one, other) => one - other));
  });

  it('resumes after Last-Event-ID without gaps and repetitions', async () => {
    const gates = [gate(), gate(), gate()];
    trials.when('resumed', context => steps(context, gates));
    const id = await start('resumed');
    const first = await listen(id);
    await seen(first, 10);
    const held = first.events.slice(0, 2);
    first.close();
    gates[0]?.open();
    await expect.poll(async () => (await client.job(id)).progress?.percent).toBe(20);

    const second = await listen(id, held.at(-1)?.id);
    await seen(second, 20);
    for (const next of gates) next.open();
    await second.ended;
    const all = await listen(id);
    await all.ended;
    expect([...held, ...second.events]).toEqual(all.events);
  });

  it('continues in another API process after a shutdown', async () => {
    const gates = [gate(), gate()];
    trials.when('restarted', context => steps(context, gates));
    const waiter = openJobWaiter(service.records);
    const app = await buildApp({ ...service, waiter, sseLimiter: openSseLimiter(3) }, service.operations);
    const origin = await app.listen({ port: 0, host: '127.0.0.1' });
    const id = await start('restarted');
    const first = await listen(id, undefined, origin);
    await seen(first, 10);

    // Although the job has not ended.
    await app.close();
    await first.ended;
    expect((await client.job(id)).state).toBe('running');

    gates[0]?.open();
    await expect.poll(async () => (await client.job(id)).progress?.percent).toBe(20);
    const second = await listen(id, first.events.at(-1)?.id);
    gates[1]?.open();
    await second.ended;
    const all = await listen(id);
    await all.ended;
    expect([...first.events, ...second.events]).toEqual(all.events);
  });

  it('returns 204 to a client that has received the end, so that it does not reconnect', async () => {
    const id = await start('over');
    const reader = await listen(id);
    await reader.ended;
    const { status, bytes } = await client.request('GET', `/jobs/${id}/events`, {
      headers: { 'last-event-id': reader.events.at(-1)?.id ?? '' },
    });
    expect([status, bytes.length]).toEqual([204, 0]);
  });

  it('continues after the first end of a retried job', async () => {
    let runs = 0;
    trials.when('again', async () => {
      if (runs++ === 0) throw new ServiceError('invalid-input', 'Not this time.');
      return 'in the end';
    });
    const id = await start('again');
    const before = await listen(id);
    await before.ended;
    expect(states(before.events)).toEqual(['queued', 'running', 'failed']);
    await client.requestJob('POST', `/jobs/${id}/retry`);
    const after = await listen(id, before.events.at(-1)?.id);
    await after.ended;
    expect(states(after.events)).toEqual(['queued', 'running', 'succeeded']);
    const all = await listen(id);
    await all.ended;
    expect(states(all.events)).toEqual([...states(before.events), ...states(after.events)]);
  });

  it('sends heartbeats', async () => {
    const end = gate();
    trials.when('silent', () => end.opened.then(() => 'done'));
    const reader = await listen(await start('silent'));
    await expect.poll(() => reader.comments.length).toBeGreaterThan(1);
    expect(reader.events.length).toBeLessThanOrEqual(2);
    end.open();
    await reader.ended;
    expect(states(reader.events).at(-1)).toBe('succeeded');
  });

  it('ends when the token is revoked or the job is deleted', async () => {
    const end = gate();
    trials.when('unwelcome', () => end.opened.then(() => 'done'));
    const id = await start('unwelcome');
    const revoked = await service.client(['trial'], client.clientId);
    const one = await openEventReader(service.origin, revoked.accessToken, id);
    await expect.poll(() => states(one.events)).toContain('running');
    await service.database.pool.query('delete from oauth_token where sha256 = $1', [sha256(revoked.accessToken)]);
    await one.ended;
    expect(states(one.events).at(-1)).toBe('running');

    const other = await listen(id);
    await service.database.pool.query('delete from job where id = $1', [id]);
    await other.ended;
    end.open();
  });

  it('sends no event after the token was revoked, also before the next heartbeat', async () => {
    const next = gate();
    trials.when('revoked', context => steps(context, [next]));
    const id = await start('revoked');
    const revoked = await service.client(['trial'], client.clientId);
    const config = { ...service.config, EVENT_HEARTBEAT_MS: 60_000 };
    const waiter = openJobWaiter(service.records);
    const app = await buildApp({ ...service, config, waiter, sseLimiter: openSseLimiter(3) }, service.operations);
    const origin = await app.listen({ port: 0, host: '127.0.0.1' });
    const reader = await openEventReader(origin, revoked.accessToken, id);
    await seen(reader, 10);
    await service.database.pool.query('delete from oauth_token where sha256 = $1', [sha256(revoked.accessToken)]);
    next.open();
    await reader.ended;
    expect(states(reader.events).at(-1)).toBe('running');
    await app.close();
  });

  it.each([
    { scope: 'jobs:all', kind: 'trial', what: 'every job' },
    { scope: 'trial', kind: 'solo', what: 'jobs that it may start' },
  ])('ends when its client loses the scope $scope, with which it sees $what', async ({ scope, kind }) => {
    const end = gate();
    trials.when(`seen by ${scope}`, () => end.opened.then(() => 'done'));
    const { id } = await client.requestJob('POST', `/trials/${kind}`, { body: { name: `seen by ${scope}` } });
    const other = await service.client([scope]);
    const reader = await openEventReader(service.origin, other.accessToken, id);
    await expect.poll(() => reader.comments.length).toBeGreaterThan(0);
    await service.database.pool.query(`update oauth_client set scopes = '{}' where client_id = $1`, [other.clientId]);
    await reader.ended;
    expect(states(reader.events)).not.toContain('succeeded');
    end.open();
  });

  it('is limited per client; a disconnect frees a slot', async () => {
    const end = gate();
    trials.when('crowded', () => end.opened.then(() => 'done'));
    const id = await start('crowded');
    const readers = await Promise.all([listen(id), listen(id), listen(id)]);
    const rejected = await client.request('GET', `/jobs/${id}/events`);
    expect(rejected.status).toBe(429);
    expect(rejected.headers.get('retry-after')).toBe('5');
    readers[0]?.close();
    await expect.poll(async () => (await client.request('HEAD', `/jobs/${id}/events`)).status).toBe(200);
    end.open();
    await Promise.all(readers.slice(1).map(reader => reader.ended));
  });

  it('does not delay the shutdown when the client stops reading', async () => {
    const end = gate();
    trials.when('stalled', async context => {
      context.progress('x'.repeat(50_000), 1, 2, 50);
      await end.opened;
      return 'done';
    });
    const id = await start('stalled');
    await client.waitForJob(id, job => job.progress !== null);
    // More than the socket buffers hold, so the stream cannot end.
    await service.database.pool.query(
      `insert into job_event (job_id, type, data)
       select job_id, type, data from job_event, generate_series(1, 400) where job_id = $1 and type = 'progress'`,
      [id],
    );
    const waiter = openJobWaiter(service.records);
    const app = await buildApp({ ...service, waiter, sseLimiter: openSseLimiter(3) }, service.operations);
    const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
    const socket = net.connect(Number(port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(
      `GET /v2/jobs/${id}/events HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${client.accessToken}\r\n\r\n`,
    );
    await new Promise(resolve => socket.once('readable', resolve));
    const startedAt = performance.now();
    await app.close();
    expect(performance.now() - startedAt).toBeLessThan(3_000);
    socket.destroy();
    end.open();
  });

  it('is sent to clients with jobs:all', async () => {
    const id = await start('own');
    const overseer = await service.client(['jobs:all']);
    const reader = await openEventReader(service.origin, overseer.accessToken, id);
    await reader.ended;
    expect(states(reader.events).at(-1)).toBe('succeeded');
  });

  it('returns 400 for an invalid Last-Event-ID', async () => {
    const id = await start('refused');
    const { status } = await client.request('GET', `/jobs/${id}/events`, { headers: { 'last-event-id': '-1 or 1=1' } });
    expect(status).toBe(400);
  });
});
