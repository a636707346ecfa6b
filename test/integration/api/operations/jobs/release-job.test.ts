/** Held jobs: released, cancelled, or superseded by a later run. */
import { sql } from 'drizzle-orm';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { PlannedChanges } from '../../../../../core/jobs/record.ts';
import { JobResource } from '../../../../../core/jobs/resource.ts';
import { startCallbackDispatcher } from '../../../../../workers/runtime/callback-dispatcher.ts';
import { startCallbackReceiver } from '../../../../support/callback-receiver.ts';
import { openEventReader } from '../../../../support/event-reader.ts';
import { gate } from '../../../../support/gate.ts';
import { backends } from '../../../../support/test-service.ts';
import type { Work } from '../../../../support/trial-jobs.ts';
import { useTrials } from '../../../../support/use-trials.ts';

const isHeld = (job: JobResource): boolean => job.state === 'held';
const plan = { delete: ['1', '2', '3'], because: 'the source came back half' };
const Timeline = z.object({ items: z.array(z.object({ type: z.string(), text: z.string() })) });

const receiver = await startCallbackReceiver();
afterAll(receiver.close);

describe.each(backends)('a held job, queued on %s', backend => {
  const { service, client, trials } = useTrials(`held-${backend}`, () => ({
    backend,
    env: { EGRESS_ALLOW: receiver.host },
  }));

  /** Behaves as a sync: makes a plan and is held; after the release applies exactly that plan. */
  const changes: PlannedChanges[] = [
    { outcome: 'deleted', reason: 'Gone.', items: [{ key: '7', name: 'Anna Smith', detail: 'Sales' }] },
  ];
  const applied = new Map<string, unknown>();
  const careful =
    (name: string): Work =>
    async ({ released, warn }) => {
      if (!released) {
        warn({ pointer: '', detail: 'Three deletions.' });
        return { held: { report: { said: 'would delete 3' }, plan, changes } };
      }
      applied.set(name, released);
      return 'deleted 3';
    };
  const hold = async (name: string): Promise<JobResource> => {
    trials.when(name, careful(name));
    const { id } = await client.requestJob('POST', '/trials/solo', { body: { name } });
    return await client.waitForJob(id, isHeld);
  };
  const release = (id: string, as = client) => as.request('POST', `/jobs/${id}/release`);

  it('shows its planned result and the link to its plan', async () => {
    const job = await hold('shown');
    expect(job).toMatchObject({
      state: 'held',
      result: { said: 'would delete 3' },
      warnings: [{ detail: 'Three deletions.' }],
      finishedAt: null,
      error: null,
      released: null,
      links: { plan: `/v2/jobs/${job.id}/plan`, release: `/v2/jobs/${job.id}/release` },
    });
    expect(job.links.result).toBeUndefined();
    const reply = await client.request('GET', `/jobs/${job.id}`);
    expect(reply.headers.get('retry-after')).toBeNull();
    expect(await client.request('GET', `/jobs/${job.id}/plan`)).toMatchObject({
      status: 200,
      body: { plan, changes, released: null },
    });
    expect(await client.request('GET', `/jobs/${job.id}/result`)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('held') },
    });
    expect(await client.request('GET', `/jobs/${job.id}/explain`)).toMatchObject({
      body: { cause: 'held', reason: expect.stringContaining('releases or cancels') },
    });
  });

  it('ends waiting requests and event streams and sends the callback', async () => {
    const allow = service.config.EGRESS_ALLOW;
    const teller = startCallbackDispatcher(service, {
      baseUrl: 'https://portal.example/v2',
      retrySeconds: [0.05],
      allow,
    });
    trials.when('waited', careful('waited'));
    const reply = await client.request('POST', '/trials/solo', {
      body: { name: 'waited', callback: { url: receiver.url(`/${backend}`) } },
      headers: { prefer: 'wait=20' },
    });
    expect(reply).toMatchObject({ status: 200, body: { state: 'held' } });
    const { id } = JobResource.parse(reply.body);

    const stream = await openEventReader(service.origin, client.accessToken, id);
    await stream.ended;
    expect(stream.events.map(({ job }) => job.state)).toEqual(['queued', 'running', 'held']);
    expect(stream.events.at(-1)?.job.result).toEqual({ said: 'would delete 3' });
    const again = await openEventReader(service.origin, client.accessToken, id, stream.events.at(-1)?.id ?? '');
    expect(again.status).toBe(204);

    await expect.poll(() => receiver.received(`/${backend}`).length).toBe(1);
    expect(JSON.parse(receiver.received(`/${backend}`)[0]?.body ?? '')).toMatchObject({ id, state: 'held' });
    await release(id);
    await expect.poll(() => receiver.received(`/${backend}`).length).toBe(2);
    expect(JSON.parse(receiver.received(`/${backend}`)[1]?.body ?? '')).toMatchObject({ id, state: 'succeeded' });
    await teller.stop();
  });

  it('carries out exactly its plan once when released, and records the actor', async () => {
    const { id } = await hold('released');
    const reply = await release(id);
    expect(reply).toMatchObject({ status: 202, body: { id, state: 'queued', released: { by: client.clientId } } });
    expect(reply.headers.get('location')).toBe(`/v2/jobs/${id}`);
    const job = await client.waitForJob(id);
    expect(job).toMatchObject({ state: 'succeeded', result: { said: 'deleted 3' }, attempts: { made: 1 } });
    expect(applied.get('released')).toEqual({ plan, by: client.clientId, at: expect.any(Date) });

    expect(await release(id)).toMatchObject({ status: 409, body: { detail: 'Only a held job can be released.' } });
    expect(trials.attempts('released')).toEqual([1, 1]);
    expect(await client.request('GET', `/jobs/${id}/plan`)).toMatchObject({ body: { plan, released: job.released } });
    const { rows } = await service.database.execute(
      sql`select actor, action, after from audit_entry where target = ${`/jobs/${id}`}`,
    );
    expect(rows).toEqual([{ actor: client.clientId, action: 'jobs.release', after: { state: 'queued' } }]);
    const { items } = Timeline.parse((await client.request('GET', `/jobs/${id}/timeline`)).body);
    expect(items.map(({ type }) => type)).toEqual(['accepted', 'begun', 'held', 'released', 'begun', 'succeeded']);
  });

  it('continues once when released ten times concurrently', async () => {
    const { id } = await hold('by ten');
    const replies = await Promise.all(Array.from({ length: 10 }, () => release(id)));
    expect(replies.map(({ status }) => status).sort()).toEqual([202, ...Array.from({ length: 9 }, () => 409)]);
    await client.waitForJob(id);
    expect(trials.attempts('by ten')).toEqual([1, 1]);
  });

  it('can be released by its own client with the starting scope, or with jobs:all', async () => {
    const { id } = await hold('by whom');
    const colleague = await service.client(['trial']);
    expect(await release(id, colleague)).toMatchObject({ status: 403 });
    const otherClient = await service.client([]);
    expect(await release(id, otherClient)).toMatchObject({ status: 404 });
    const withoutScope = await service.client([], client.clientId);
    expect(await release(id, withoutScope)).toMatchObject({ status: 403, body: { title: 'Insufficient scope' } });
    const operator = await service.client(['jobs:all']);
    expect(await release(id, operator)).toMatchObject({ status: 202, body: { released: { by: operator.clientId } } });
    // Restores the scopes of the client.
    Object.assign(client, await service.client(['trial'], client.clientId));
    await client.waitForJob(id);
  });

  it('cannot be released while another job does the same work, and does not block others', async () => {
    const { id } = await hold('busy');
    const finish = gate();
    trials.when('busy', () => finish.opened.then(() => 'done'));
    const other = await client.request('POST', '/trials/solo', { body: { name: 'busy' } });
    expect(other.headers.get('portal-existing-job')).toBeNull();
    expect(await release(id)).toMatchObject({ status: 409, body: { detail: expect.stringContaining('same work') } });
    expect(await client.job(id)).toMatchObject({ state: 'held' });
    finish.open();
    await client.waitForJob(JobResource.parse(other.body).id);
  });

  it('is superseded by a later successful run; a retry then starts from the beginning', async () => {
    const held = await hold('superseded');
    trials.when('superseded', async () => 'all well');
    const { id } = await client.requestJob('POST', '/trials/solo', { body: { name: 'superseded' } });
    await client.waitForJob(id);
    expect(await client.job(held.id)).toMatchObject({
      state: 'cancelled',
      error: {
        type: 'http://portal.example/v2/problems/job-superseded',
        detail: expect.stringContaining(id),
        instance: `/v2/jobs/${held.id}`,
      },
      result: { said: 'would delete 3' },
    });
    expect(await release(held.id)).toMatchObject({ status: 409 });

    let given: unknown = 'never run';
    trials.when('superseded', async ({ released }) => {
      given = released;
      return 'again';
    });
    await client.requestJob('POST', `/jobs/${held.id}/retry`);
    expect(await client.waitForJob(held.id)).toMatchObject({ result: { said: 'again' }, released: null });
    expect(given).toBeUndefined();
  });

  it('can be cancelled at once', async () => {
    const { id } = await hold('cancelled');
    expect(await client.request('DELETE', `/jobs/${id}`)).toMatchObject({ status: 200, body: { state: 'cancelled' } });
    expect(await release(id)).toMatchObject({ status: 409 });
    expect(trials.attempts('cancelled')).toEqual([1]);
  });

  it('is cancelled instead of held when the cancellation came during planning', async () => {
    const cancellation = gate();
    trials.when('cancelled early', async () => {
      await cancellation.opened;
      return { held: { report: { said: 'would delete 3' }, plan } };
    });
    const { id } = await client.requestJob('POST', '/trials/solo', { body: { name: 'cancelled early' } });
    await client.waitForJob(id, job => job.state === 'running');
    await service.database.execute(sql`update job set cancel_requested_at = now() where id = ${id}`);
    cancellation.open();
    expect(await client.waitForJob(id)).toMatchObject({ state: 'cancelled' });
  });

  it('stores any JSON as plan; a job that was never held has none', async () => {
    for (const any of ['"a text"', null, 0, [{ id: '7' }]]) {
      trials.when('any plan', async ({ released }) =>
        released ? `got ${JSON.stringify(released.plan)}` : { held: { report: { said: 'held' }, plan: any } },
      );
      const { id } = await client.requestJob('POST', '/trials/solo', { body: { name: 'any plan' } });
      await client.waitForJob(id, isHeld);
      expect(await client.request('GET', `/jobs/${id}/plan`)).toMatchObject({ body: { plan: any } });
      await release(id);
      expect(await client.waitForJob(id)).toMatchObject({ result: { said: `got ${JSON.stringify(any)}` } });
    }
    const { id } = await client.requestJob('POST', '/trials/trial', { body: { name: 'plain' } });
    expect(await client.request('GET', `/jobs/${id}/plan`)).toMatchObject({ status: 404 });
  });
});
