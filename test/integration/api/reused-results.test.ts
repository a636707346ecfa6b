/** Result cache: a repeated request succeeds at once with an earlier result, without queue and worker. */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { inGroup } from '../../../api/http/load-operations.ts';
import { Explanation } from '../../../api/jobs/job-explanation.ts';
import { defineJobOperation } from '../../../api/jobs/job-operation.ts';
import { defineJob } from '../../../core/jobs/contract.ts';
import { JobResource } from '../../../core/jobs/resource.ts';
import type { ServedKind } from '../../../workers/runtime/worker.ts';
import type { ApiClient, Reply } from '../../support/api-client.ts';
import { runMaintenanceTask } from '../../support/maintenance.ts';
import { startTestService, type TestService } from '../../support/test-service.ts';
import { openTrials, trialJob } from '../../support/trial-jobs.ts';

const known = defineJob({ ...trialJob, kind: 'known', reusable: true });
const operation = inGroup(
  'trials',
  defineJobOperation({
    summary: 'Start a job of this test.',
    id: 'trials.start-known',
    route: 'POST /trials/known',
    scope: 'trial',
    request: { body: known.payload },
    job: known,
    file: 'application/pdf',
    accept: async ({ body }) => ({ payload: body }),
  }),
);

const Timeline = z.object({ items: z.array(z.object({ type: z.string(), text: z.string() })) });
const content = Buffer.from('a finished brochure');
const pdf = { contentType: 'application/pdf' };

describe('a cached result', () => {
  let service: TestService;
  let client: ApiClient;
  const trials = openTrials();

  beforeAll(async () => {
    service = await startTestService('reused-results', {
      operations: [operation],
      contracts: new Map([['known', known]]),
      env: { EGRESS_ALLOW: '127.0.0.1:9', OPS_USER: 'duty', OPS_PASSWORD: 'secret' },
    });
    client = await service.client(['trial']);
  });
  afterAll(() => service?.close());

  const ask = (name: string, { as = client, headers = {}, ...more }: RequestOptions = {}): Promise<Reply> =>
    as.request('POST', '/trials/known', { body: { name, ...more }, headers });
  const jobOf = ({ body }: Reply): JobResource => JobResource.parse(body);
  const idOf = ({ headers }: Reply): string => headers.get('location')?.split('/').at(-1) ?? '';
  const explain = async (id: string, as = client) =>
    Explanation.parse((await as.request('GET', `/jobs/${id}/explain`)).body);
  const messageOf = (id: string) => service.queues.queue(known).getJob(id);

  function startWorker(cacheVersion: string) {
    const servedKinds = trials.servedKinds
      .slice(0, 1)
      .map((served): ServedKind => ({ contract: known, handler: { ...served.handler, cacheVersion } }));
    return service.startWorker(servedKinds);
  }

  /** Runs the request once with a worker, then stops the worker: later results come from the cache. */
  async function runOnce(name: string, { until = inMinutes(10), version = 'first' } = {}): Promise<JobResource> {
    const { size: bytes, sha256 } = await service.results.put(`${name}.pdf`, content, pdf);
    trials.when(name, async ({ warn }) => {
      warn({ pointer: '/name', detail: 'It is rather short.' });
      const file = { key: `${name}.pdf`, ...pdf, fileName: `${name}.pdf`, bytes, sha256 };
      return { result: { said: name }, file, reusableUntil: until };
    });
    const worker = startWorker(version);
    const job = await client.waitForJob(jobOf(await ask(name)).id);
    await worker.stop();
    expect(job).toMatchObject({ state: 'succeeded', attempts: { made: 1 } });
    return job;
  }

  it('is returned at once for the same request, with the same bytes and without a worker', async () => {
    const first = await runOnce('again');
    const second = await ask('again', { headers: { accept: 'application/pdf' } });
    expect(second).toMatchObject({ status: 200, bytes: content });
    expect(idOf(second)).not.toBe(first.id);
    expect(trials.attempts('again')).toEqual([1]);

    const third = await ask('again');
    expect(third.status).toBe(200);
    expect(jobOf(third)).toMatchObject({
      state: 'succeeded',
      progress: { percent: 100 },
      attempts: { made: 0, max: known.attempts },
      startedAt: null,
      result: first.result,
      warnings: first.warnings,
      error: null,
    });
    const { createdAt, finishedAt, resultExpiresAt } = jobOf(third);
    expect(finishedAt).toBe(createdAt);
    // The retention time of the result starts again with each job.
    expect(Date.parse(resultExpiresAt ?? '')).toBeGreaterThan(Date.parse(first.resultExpiresAt ?? ''));
    expect(await messageOf(idOf(third))).toBeUndefined();
  });

  it('is reported as cached in the timeline, the explanation, the event stream and the job page', async () => {
    const first = await runOnce('reported');
    await ask('reported');
    const { id } = jobOf(await ask('reported'));
    const timeline = await client.request('GET', `/jobs/${id}/timeline`);
    expect(Timeline.parse(timeline.body).items).toEqual([
      { type: 'accepted', text: 'The job was accepted.' },
      {
        type: 'succeeded',
        text: 'The job succeeded at once with 1 warning, with the cached result of an earlier job with the same input; it was never queued.',
      },
    ]);
    expect(await explain(id)).toMatchObject({
      state: 'succeeded',
      cause: 'ended',
      // Names the job that ran, not the second one, which used the cache too.
      reason: `The job succeeded at once with the cached result of the job ${first.id}, which had the same input; it was never queued.`,
      startsInSeconds: 0,
      endsInSeconds: 0,
    });
    const stream = (await client.request('GET', `/jobs/${id}/events`)).bytes.toString();
    expect([...stream.matchAll(/"state":"(\w+)"/g)].map(([, state]) => state)).toEqual(['queued', 'succeeded']);
    const authorization = `Basic ${Buffer.from('duty:secret').toString('base64')}`;
    const page = await fetch(`${service.origin}/v2/ops/jobs/${id}`, { headers: { authorization } });
    expect(await page.text()).toContain(`/ops/jobs/${first.id}"`);
  });

  it('is returned to other clients too, without revealing the job of the first client', async () => {
    const first = await runOnce('shared');
    const colleague = await service.client(['trial']);
    const { id, state } = jobOf(await ask('shared', { as: colleague }));
    expect(state).toBe('succeeded');
    expect((await explain(id, colleague)).reason).toContain('the cached result of an earlier job,');
    expect(await colleague.request('GET', `/jobs/${first.id}`)).toMatchObject({ status: 404 });
    const timeline = await colleague.request('GET', `/jobs/${id}/timeline`);
    expect(timeline.bytes.toString()).not.toContain(first.id);
  });

  it('is returned as one job per Idempotency-Key', async () => {
    const key = { 'idempotency-key': 'known-first' };
    await runOnce('keyed');
    const replies = [await ask('keyed', { headers: key }), await ask('keyed', { headers: key })];
    const [first, repeat] = replies.map(jobOf);
    expect(first).toMatchObject({ state: 'succeeded', attempts: { made: 0 } });
    expect(repeat?.id).toBe(first?.id);
    expect(replies.map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, 'true']);
    expect(jobOf(await ask('keyed')).id).not.toBe(first?.id);
  });

  it('keeps its file as long as any job that refers to it', async () => {
    const first = await runOnce('kept');
    const second = jobOf(await ask('kept'));
    await service.database.execute(
      sql`update job set result_expires_at = now() - interval '1 second' where id = ${first.id}`,
    );
    await runMaintenanceTask('expired-results', service);
    expect(await client.request('GET', `/jobs/${first.id}/result`)).toMatchObject({ status: 410 });
    expect(await client.request('GET', `/jobs/${second.id}/result`)).toMatchObject({
      status: 200,
      bytes: content,
    });
    // The result of the first job has expired, so a new job is queued.
    expect((await ask('kept')).status).toBe(202);
  });

  it('is not used once its file is gone: the job is queued, and the job that lost its file can be retried', async () => {
    const first = await runOnce('lost');
    await service.results.delete('lost.pdf');
    const accepted = await ask('lost', { headers: { 'idempotency-key': 'lost' } });
    expect(accepted.status).toBe(202);
    const second = jobOf(accepted);
    expect(second).toMatchObject({ state: 'queued', result: null });

    expect(await client.request('GET', `/jobs/${first.id}/result`)).toMatchObject({ status: 410 });
    const retried = await client.request('POST', `/jobs/${first.id}/retry`);
    expect(retried).toMatchObject({ status: 202, body: { state: 'queued', attempts: { made: 0 }, result: null } });
    await service.results.put('lost.pdf', content, pdf);
    const worker = startWorker('first');
    for (const { id } of [first, second]) {
      expect(await client.waitForJob(id)).toMatchObject({ state: 'succeeded', attempts: { made: 1 } });
      expect(await client.request('GET', `/jobs/${id}/result`)).toMatchObject({ status: 200, bytes: content });
    }
    await worker.stop();
    expect(jobOf(await ask('lost'))).toMatchObject({ state: 'succeeded', attempts: { made: 0 } });
    expect(await client.request('POST', `/jobs/${first.id}/retry`)).toMatchObject({ status: 409 });
  });

  it('can be created again after its expiry, with a retry', async () => {
    const { id } = await runOnce('expired');
    const expire = sql`update job set result_expires_at = now() - interval '1 second' where id = ${id}`;
    await service.database.execute(expire);
    await runMaintenanceTask('expired-results', service);
    const { status, body } = await client.request('GET', `/jobs/${id}/result`);
    expect({ status, body }).toMatchObject({ status: 410, body: { detail: expect.stringContaining('Retry the job') } });
    expect(await client.request('POST', `/jobs/${id}/retry`)).toMatchObject({ status: 202, body: { state: 'queued' } });
  });

  it('is not used once the cache version changes; results of the new version are used', async () => {
    await runOnce('version');
    await startWorker('second').stop();
    const { id, state } = jobOf(await ask('version'));
    expect(state).toBe('queued');
    const worker = startWorker('second');
    expect(await client.waitForJob(id)).toMatchObject({ attempts: { made: 1 } });
    await worker.stop();
    expect(jobOf(await ask('version'))).toMatchObject({ state: 'succeeded', attempts: { made: 0 } });
    expect((await explain(jobOf(await ask('version')).id)).reason).toContain(id);
    await startWorker('first').stop();
  });

  describe('is not used', () => {
    const change = (id: string, what: ReturnType<typeof sql>) =>
      service.database.execute(sql`update job set ${what} where id = ${id}`);

    it.each([
      ['after its reusable-until time', sql`reusable_until = now()`],
      ['when it expires within 15 minutes', sql`result_expires_at = now() + interval '14 minutes'`],
      ['when its run returned no reusable-until time', sql`reusable_until = null`],
    ])('%s', async (when, what) => {
      const { id } = await runOnce(when.replaceAll(' ', '-'));
      await change(id, what);
      expect(jobOf(await ask(when.replaceAll(' ', '-')))).toMatchObject({ state: 'queued', result: null });
    });

    it('for a different payload', async () => {
      await runOnce('payload');
      expect((await ask('payload', { weight: 1 })).status).toBe(202);
      expect((await ask('payloads')).status).toBe(202);
    });

    it('for a request with a callback', async () => {
      await runOnce('callback');
      const callback = { url: 'http://127.0.0.1:9/ended' };
      expect(jobOf(await ask('callback', { callback }))).toMatchObject({
        state: 'queued',
        callback: { state: 'pending' },
      });
    });

    it('for a job kind that is not reusable', async () => {
      await runOnce('promise');
      const { reusable: _, ...plain } = known;
      const job = { clientId: client.clientId, payload: { name: 'promise' } };
      expect(await service.jobs.submit(plain, job)).toMatchObject({ state: 'queued' });
      expect(await service.jobs.submit(known, job)).toMatchObject({ state: 'succeeded' });
    });
  });
});

interface RequestOptions {
  as?: ApiClient;
  headers?: Record<string, string>;
  weight?: number;
  callback?: { url: string };
}

const inMinutes = (minutes: number): Date => new Date(Date.now() + minutes * 60_000);
