/** Exclusive jobs: while one is open, a request for the same work returns that job. */
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { JobResource } from '../../../../core/jobs/resource.ts';
import type { Reply } from '../../../support/api-client.ts';
import { gate } from '../../../support/gate.ts';
import { backends } from '../../../support/test-service.ts';
import { useTrials } from '../../../support/use-trials.ts';

const existing = ({ headers }: Reply): string | null => headers.get('portal-existing-job');
const jobOf = ({ body }: Reply): JobResource => JobResource.parse(body);

describe.each(backends)('exclusive jobs, queued on %s', backend => {
  const { service, client, trials } = useTrials(`exclusive-${backend}`, () => ({
    backend,
    env: { EGRESS_ALLOW: '127.0.0.1:9' },
  }));

  const post = (body: object, as = client, headers = {}) => as.request('POST', '/trials/solo', { body, headers });

  it('start one job for forty concurrent requests, and all of them return it', async () => {
    const finish = gate();
    trials.when('at once', () => finish.opened.then(() => 'done'));
    const replies = await Promise.all(Array.from({ length: 40 }, () => post({ name: 'at once' })));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([202]));
    expect(new Set(replies.map(reply => jobOf(reply).id)).size).toBe(1);
    expect(replies.filter(reply => existing(reply) === null)).toHaveLength(1);
    expect(replies.filter(reply => existing(reply) === 'true')).toHaveLength(39);

    const { id } = jobOf(replies[0] as Reply);
    await client.waitForJob(id, job => job.state === 'running');
    expect(jobOf(await post({ name: 'at once' })).id).toBe(id);
    // A different name is different work.
    expect(existing(await post({ name: 'something else' }))).toBeNull();
    finish.open();
    await client.waitForJob(id);
    expect(trials.attempts('at once')).toEqual([1]);
  });

  it('start a new job after the open one has ended', async () => {
    const first = jobOf(await post({ name: 'again' }));
    await client.waitForJob(first.id);
    const second = await post({ name: 'again' });
    expect(existing(second)).toBeNull();
    expect(jobOf(second).id).not.toBe(first.id);
    await client.waitForJob(jobOf(second).id);
  });

  it('reject the same work with different input, naming the open job', async () => {
    const finish = gate();
    trials.when('other input', () => finish.opened.then(() => 'done'));
    const { id } = jobOf(await post({ name: 'other input', weight: 1 }));
    const rejected = await post({ name: 'other input', weight: 2 });
    expect(rejected).toMatchObject({ status: 409, body: { detail: expect.stringContaining(id) } });
    expect(rejected.headers.get('link')).toBe(`</v2/jobs/${id}>; rel="related"`);
    expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0);

    // The open job has no callback: accepting this one would mean never calling it.
    const callback = { url: 'http://127.0.0.1:9/ended' };
    const withCallback = await post({ name: 'other input', weight: 1, callback });
    expect(withCallback).toMatchObject({ status: 409, body: { detail: expect.stringContaining('callback') } });
    finish.open();
    await client.waitForJob(id);
  });

  it('are visible without the callback to other clients with the scope, which cannot change them', async () => {
    const finish = gate();
    trials.when('shared', () => finish.opened.then(() => 'done'));
    const callback = { url: 'http://127.0.0.1:9/secret-place' };
    const { id } = jobOf(await post({ name: 'shared', callback }));
    const colleague = await service.client(['trial']);
    const answered = await post({ name: 'shared' }, colleague);
    expect(existing(answered)).toBe('true');
    expect(jobOf(answered)).toMatchObject({ id, callback: null });
    expect(await colleague.job(id)).toMatchObject({ id, callback: null });
    expect(await client.job(id)).toMatchObject({ callback: { url: callback.url } });
    expect(await colleague.request('DELETE', `/jobs/${id}`)).toMatchObject({ status: 403 });
    expect(await colleague.request('GET', '/jobs')).toMatchObject({ body: { items: [] } });

    const stranger = await service.client([]);
    expect(await stranger.request('GET', `/jobs/${id}`)).toMatchObject({ status: 404 });
    expect(await stranger.request('DELETE', `/jobs/${id}`)).toMatchObject({ status: 404 });
    finish.open();
    await client.waitForJob(id);
    const stream = await colleague.request('GET', `/jobs/${id}/events`);
    expect(stream.bytes.toString()).toContain('"state":"succeeded"');
    expect(stream.bytes.toString()).not.toContain('secret-place');
  });

  it('stay bound to the Idempotency-Key that returned them, also after their end', async () => {
    const finish = gate();
    trials.when('keyed', () => finish.opened.then(() => 'done'));
    const { id } = jobOf(await post({ name: 'keyed' }));
    const key = { 'idempotency-key': 'met-it' };
    expect(jobOf(await post({ name: 'keyed' }, client, key)).id).toBe(id);
    finish.open();
    await client.waitForJob(id);
    const repeat = await post({ name: 'keyed' }, client, key);
    expect(repeat.headers.get('idempotent-replayed')).toBe('true');
    expect(jobOf(repeat)).toMatchObject({ id, state: 'succeeded' });
  });

  it('cannot be retried while another one is open', async () => {
    trials.when('twice', async () => {
      throw new TypeError('broken');
    });
    const failed = await client.waitForJob(jobOf(await post({ name: 'twice' })).id);
    expect(failed.state).toBe('failed');
    const finish = gate();
    trials.when('twice', () => finish.opened.then(() => 'done'));
    const { id } = jobOf(await post({ name: 'twice' }));
    expect(await client.request('POST', `/jobs/${failed.id}/retry`)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('same work') },
    });
    finish.open();
    await client.waitForJob(id);
    expect(await client.request('POST', `/jobs/${failed.id}/retry`)).toMatchObject({ status: 202 });
    expect(await client.waitForJob(failed.id)).toMatchObject({ state: 'succeeded' });
  });

  describe('started with a GET', () => {
    const get = (headers: Record<string, string> = {}, name = 'by get') =>
      client.request('GET', `/trials/solo?name=${encodeURIComponent(name)}`, { headers });

    it('are not cached, and a repeat starts nothing', async () => {
      const finish = gate();
      trials.when('by get', () => finish.opened.then(() => 'done'));
      const first = await get();
      expect(first.status).toBe(202);
      expect(first.headers.get('cache-control')).toBe('no-store');
      expect(first.headers.get('location')).toBe(`/v2/jobs/${jobOf(first).id}`);
      const second = await get();
      expect(existing(second)).toBe('true');
      expect(jobOf(second).id).toBe(jobOf(first).id);
      finish.open();
      expect(jobOf(await get({ prefer: 'wait=2' })).state).toBe('succeeded');
    });

    it('return 422 with a pointer to the invalid query parameter', async () => {
      const wrong = await client.request('GET', '/trials/solo?name=');
      expect(wrong).toMatchObject({ status: 422, body: { errors: [{ pointer: '/name', in: 'query' }] } });
    });

    it.each([
      ['sec-purpose', 'prefetch'],
      ['sec-purpose', 'prefetch;prerender'],
      ['purpose', 'prefetch'],
      ['x-moz', 'prefetch'],
    ])('reject prefetch (%s: %s)', async (header, purpose) => {
      const rejected = await get({ [header]: purpose }, 'ahead');
      expect(rejected).toMatchObject({ status: 403, body: { detail: expect.stringContaining('rejects prefetches') } });
      expect(rejected.headers.get('cache-control')).toBe('no-store');
    });

    it('reject HEAD', async () => {
      const rejected = await client.request('HEAD', '/trials/solo?name=ahead');
      expect(rejected.status).toBe(405);
      expect(rejected.headers.get('allow')).toBe('GET');
      const { rows } = await service.database.execute(
        sql`select count(*)::int as n from job where payload->>'name' = 'ahead'`,
      );
      expect(rows).toEqual([{ n: 0 }]);
    });
  });
});
