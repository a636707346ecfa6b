/** Limits per client (requests per minute, open jobs), and requests with validateOnly. */
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import pdfJob from '../../../workers/pdf/contract.ts';
import { gate } from '../../support/gate.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';
import { backends, startTestService, useService } from '../../support/test-service.ts';
import { openTrials, trialContracts, trialJob, trialOperations } from '../../support/trial-jobs.ts';

describe.each(backends)('a client on %s', backend => {
  const service = useService(`limits-${backend}`, () => ({
    backend,
    operations: trialOperations,
    contracts: new Map([...trialContracts, [pdfJob.kind, pdfJob]]),
    env: { REQUESTS_PER_MINUTE: '20', MAX_OPEN_JOBS: '3' },
  }));
  const trials = openTrials();

  beforeAll(async () => service.startWorker(trials.servedKinds));

  it('receives the number of remaining requests in every response, and 429 above the limit', async () => {
    const client = await service.client([]);
    for (let left = 19; left >= 0; left--) {
      const { status, headers } = await client.request('GET', '/jobs');
      expect(status).toBe(200);
      expect(headers.get('ratelimit-policy')).toBe('"requests";q=20;w=60');
      expect(headers.get('ratelimit')).toMatch(new RegExp(`^"requests";r=${left};t=\\d+$`));
    }
    const rejected = await client.request('GET', '/jobs');
    expect(rejected).toMatchObject({
      status: 429,
      body: { type: 'http://portal.example/v2/problems/too-many-requests' },
    });
    const wait = Number(rejected.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(60);
    expect(rejected.headers.get('ratelimit')).toBe(`"requests";r=0;t=${wait}`);
    // Other clients and public operations are not affected.
    expect((await (await service.client([])).request('GET', '/jobs')).status).toBe(200);
    expect((await fetch(`${service.origin}/v2/health`)).headers.get('ratelimit')).toBeNull();
  });

  it('receives 429 with Retry-After above the limit of open jobs of a kind', async () => {
    const client = await service.client(['trial']);
    const finish = gate();
    trials.when('one of many', () => finish.opened.then(() => 'done'));
    const submit = () => client.request('POST', '/trials/trial', { body: { name: 'one of many' } });
    const answers = [await submit(), await submit(), await submit()];
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
    const rejected = await submit();
    expect(rejected).toMatchObject({ status: 429 });
    expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await client.request('POST', '/trials/hasty', { body: { name: 'another kind' } })).toMatchObject({
      status: 202,
    });
    finish.open();
    await expect.poll(async () => (await submit()).status).toBe(202);
  });

  it.skipIf(backend !== 'redis')('receives responses without delay while Redis is down', async () => {
    const redis = { proxy: undefined as TcpProxy | undefined };
    const cut = await startTestService('limits-away', {
      backend,
      redisUrl: async url => {
        redis.proxy = await startTcpProxy(url);
        return redis.proxy.url;
      },
      env: { REQUESTS_PER_MINUTE: '3' },
    });
    const client = await cut.client([]);
    expect((await client.request('GET', '/jobs')).headers.get('ratelimit')).toContain('r=2');
    await redis.proxy?.cut();
    const startedAt = performance.now();
    const answers = [await client.request('GET', '/jobs'), await client.request('GET', '/jobs')];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    await redis.proxy?.restore();
    await cut.close();
    await redis.proxy?.close();
  });

  describe('with validateOnly', () => {
    it('receives the result of the validation; no job starts', async () => {
      const client = await service.client(['trial']);
      const waiting = () => service.queues.queue(trialJob).getJobCounts('prioritized');
      // Jobs of other tests may still wait.
      await expect.poll(waiting).toEqual({ prioritized: 0 });
      const answer = await client.request('POST', '/trials/trial', { body: { name: 'valid', validateOnly: true } });
      expect(answer).toMatchObject({ status: 200, body: { valid: true, warnings: [] } });
      expect(answer.headers.get('location')).toBeNull();
      expect(await client.request('GET', '/jobs')).toMatchObject({ body: { items: [] } });
      expect(await waiting()).toEqual({ prioritized: 0 });
    });

    it('receives every input error', async () => {
      const client = await service.client(['trial']);
      const body = { name: '', validateOnly: true };
      expect(await client.request('POST', '/trials/trial', { body })).toMatchObject({
        status: 422,
        body: { errors: [{ pointer: '/name' }] },
      });
      const late = { name: 'late', validateOnly: true, startBy: '2020-01-01T00:00:00Z' };
      expect(await client.request('POST', '/trials/trial', { body: late })).toMatchObject({
        status: 422,
        body: { errors: [{ pointer: '/startBy' }] },
      });
      expect(await client.request('POST', '/trials/trial', { body: { name: 'a', validateOnly: 1 } })).toMatchObject({
        status: 422,
        body: { errors: [{ pointer: '/validateOnly' }] },
      });
    });

    it('receives warnings for invalid photo URLs, or errors with onError: fail', async () => {
      const client = await service.client(['pdf']);
      const listing = {
        reference_number: 'R-1',
        title_en: 'A home',
        photo: ['https://photos.example/1.jpg', 'ftp://photos.example/2.jpg', ''],
      };
      const check = (more: object) =>
        client.request('POST', '/apps/portal/v1/pdf', { body: { list: [listing], validateOnly: true, ...more } });
      const addresses = (body: unknown) =>
        z
          .object({ warnings: z.array(z.object({ code: z.string(), pointer: z.string() })) })
          .parse(body)
          .warnings.flatMap(({ code, pointer }) => (code === 'photo-address' ? [pointer] : []));
      expect(addresses((await check({})).body)).toEqual(['/list/0/photo/1', '/list/0/photo/2']);
      expect(await check({ onError: 'fail' })).toMatchObject({
        status: 422,
        body: {
          errors: expect.arrayContaining([
            { pointer: '/list/0/photo/1', detail: 'This is not an http or https URL.' },
            { pointer: '/list/0/photo/2', detail: 'This is not an http or https URL.' },
          ]),
        },
      });
      const { rows } = await service.database.execute('select count(*)::int as inputs from job_input');
      expect(rows).toEqual([{ inputs: 0 }]);
    });
  });
});
