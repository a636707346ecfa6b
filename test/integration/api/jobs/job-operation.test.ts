/** Starting a job over HTTP: 202 at once, 200 after a wait, or the result file itself. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { inGroup } from '../../../../api/http/load-operations.ts';
import { defineJobOperation } from '../../../../api/jobs/job-operation.ts';
import { JobResource } from '../../../../core/jobs/resource.ts';
import { ServiceError } from '../../../../core/runtime/errors.ts';
import type { Reply } from '../../../support/api-client.ts';
import { collectGarbage } from '../../../support/collect-garbage.ts';
import { gate } from '../../../support/gate.ts';
import { backends } from '../../../support/test-service.ts';
import { trialJob, trialOperations, untilAborted } from '../../../support/trial-jobs.ts';
import { useTrials } from '../../../support/use-trials.ts';

const fileOperation = inGroup(
  'trials',
  defineJobOperation({
    summary: 'Start a job that makes a file.',
    id: 'trials.makeFile',
    route: 'POST /trials/file',
    scope: 'trial',
    request: { body: z.object({ name: z.string() }) },
    job: trialJob,
    file: 'application/pdf',
    problems: { 'photo-unavailable': 'The job of a test fails.' },
    accept: async ({ body }) => ({ payload: body }),
  }),
);

describe.each(backends)('starting a job on %s', backend => {
  const { service, client, trials } = useTrials(`job-operation-${backend}`, () => ({
    backend,
    operations: [...trialOperations, fileOperation],
    // Garbage collection delays the event loop: the API would shed load on a busy machine.
    env: { MAX_WAIT_SECONDS: '2', MAX_EVENT_LOOP_DELAY_MS: '60000' },
  }));

  const start = (name: string, headers: Record<string, string> = {}): Promise<Reply> =>
    client.request('POST', '/trials/trial', { body: { name }, headers });
  const makeFile = (name: string, headers: Record<string, string> = {}): Promise<Reply> =>
    client.request('POST', '/trials/file', { body: { name }, headers: { accept: 'application/pdf', ...headers } });
  const jobOf = ({ body }: Reply): JobResource => JobResource.parse(body);

  it('returns 202 with the job, Location and Retry-After', async () => {
    const finish = gate();
    trials.when('accepted', () => finish.opened.then(() => 'done'));
    const reply = await start('accepted');
    const job = jobOf(reply);
    expect(reply.status).toBe(202);
    expect(reply.headers.get('location')).toBe(`/v2/jobs/${job.id}`);
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(reply.headers.get('preference-applied')).toBeNull();
    expect(job).toMatchObject({ kind: 'trial', state: 'queued', attempts: { made: 0, max: 3 }, startedAt: null });
    finish.open();
    expect((await client.waitForJob(job.id)).state).toBe('succeeded');
  });

  describe('for a client that disconnects while it waits', () => {
    const disconnect = async (name: string, headers: Record<string, string>): Promise<void> => {
      const hangUp = new AbortController();
      const running = gate();
      trials.when(name, async context => {
        running.open();
        return await untilAborted(context);
      });
      const reply = client.request('POST', '/trials/trial', { body: { name }, headers, signal: hangUp.signal });
      await running.opened;
      hangUp.abort();
      await expect(reply).rejects.toThrow('aborted');
    };
    const latest = async () =>
      z.object({ items: z.array(JobResource) }).parse((await client.request('GET', '/jobs')).body).items[0];

    it('continues the job, which a repeat with the same Idempotency-Key returns', async () => {
      const key = { 'idempotency-key': `recovered-${backend}` };
      await disconnect('recovered', { prefer: 'wait=2', ...key });
      const repeat = await start('recovered', key);
      expect(repeat.headers.get('idempotent-replayed')).toBe('true');
      expect(jobOf(repeat)).toMatchObject({ state: 'running', id: (await latest())?.id });
      await client.request('DELETE', `/jobs/${jobOf(repeat).id}`);
    });

    it('cancels the job when the client prefers it', async () => {
      await disconnect('unwanted', { prefer: 'wait=2, cancel-on-disconnect' });
      await expect.poll(async () => (await latest())?.state).toBe('cancelled');
      expect(trials.attempts('unwanted')).toEqual([1]);
    });

    it('applies the preference only to a wait', async () => {
      const prefer = 'cancel-on-disconnect, handling=strict';
      expect((await start('no wait', { prefer })).headers.get('preference-applied')).toBe('handling=strict');
      const waited = await start('waited', { prefer: `wait=2, ${prefer}` });
      expect(waited.status).toBe(200);
      expect(waited.headers.get('preference-applied')).toBe('wait=2, cancel-on-disconnect, handling=strict');
    });
  });

  it('stores and enqueues nothing for invalid input', async () => {
    const count = async () => (await service.database.execute(sql`select count(*)::int as n from job`)).rows[0]?.n;
    const before = await count();
    const { status, body } = await client.request('POST', '/trials/trial', { body: { name: '', weight: 'heavy' } });
    expect(status).toBe(422);
    expect(body).toMatchObject({ errors: [{ pointer: '/name' }, { pointer: '/weight' }] });
    expect(await count()).toBe(before);
  });

  describe('Prefer: wait', () => {
    it('returns 200 as soon as the job has ended', async () => {
      const reply = await start('waited for', { prefer: 'wait=2' });
      expect(reply.status).toBe(200);
      expect(reply.headers.get('preference-applied')).toBe('wait=2');
      expect(reply.headers.get('retry-after')).toBeNull();
      expect(jobOf(reply)).toMatchObject({ state: 'succeeded', result: { said: 'waited for' } });
    });

    it('returns 200 for a failed job too, because the request was valid', async () => {
      trials.when('fails', async () => {
        throw new ServiceError('gone', 'It is gone.');
      });
      const reply = await start('fails', { prefer: 'wait=2' });
      expect(reply.status).toBe(200);
      expect(jobOf(reply)).toMatchObject({ state: 'failed', error: { status: 410 } });
    });

    it('returns 202 after the timeout, also during garbage collection', async () => {
      const finish = gate();
      trials.when('not finished', () => finish.opened.then(() => 'done'));
      const startedAt = performance.now();
      const replying = start('not finished', { prefer: 'wait=1' });
      for (let collections = 0; collections < 4; collections++) {
        await sleep(200);
        collectGarbage();
      }
      const reply = await replying;
      expect(performance.now() - startedAt).toBeGreaterThan(900);
      expect(reply.status).toBe(202);
      expect(reply.headers.get('preference-applied')).toBe('wait=1');
      finish.open();
      expect((await client.waitForJob(jobOf(reply).id)).state).toBe('succeeded');
    });

    it('limits the wait to MAX_WAIT_SECONDS and reports it', async () => {
      const finish = gate();
      trials.when('too patient', () => finish.opened.then(() => 'done'));
      const reply = await start('too patient', { prefer: 'wait=3600' });
      expect(reply.status).toBe(202);
      expect(reply.headers.get('preference-applied')).toBe('wait=2');
      finish.open();
    });

    it('does not wait with wait=0 or respond-async, and rejects an invalid wait', async () => {
      const finish = gate();
      trials.when('at once', () => finish.opened.then(() => 'done'));
      const applied = async (prefer: string) => {
        const reply = await start('at once', { prefer });
        return [reply.status, reply.headers.get('preference-applied')];
      };
      expect(await applied('wait=0')).toEqual([202, 'wait=0']);
      expect(await applied('respond-async')).toEqual([202, 'respond-async']);
      expect(await applied('wait=soon')).toEqual([400, null]);
      finish.open();
    });

    it('ends when the caller disconnects; the job continues', async () => {
      const waiting = vi.spyOn(service.waiter, 'untilEnded');
      const finish = gate();
      trials.when('left alone', () => finish.opened.then(() => 'done'));
      const hangUp = new AbortController();
      const response = client.request('POST', '/trials/trial', {
        body: { name: 'left alone' },
        headers: { prefer: 'wait=2' },
        signal: hangUp.signal,
      });
      await expect.poll(() => trials.attempts('left alone')).toEqual([1]);
      hangUp.abort();
      await expect(response).rejects.toThrow();
      const waited = await waiting.mock.results.at(-1)?.value;
      // The waiter may not have heard yet that a worker took the job.
      expect(['queued', 'running']).toContain(waited.state);
      finish.open();
      expect((await client.waitForJob(waited.id)).state).toBe('succeeded');
      waiting.mockRestore();
    });
  });

  describe('Accept with the type of the file', () => {
    beforeAll(() => {
      trials.when('file', async ({ jobId }) => {
        const key = `trial/${jobId}.pdf`;
        const { size, sha256 } = await service.results.put(key, Buffer.from('%PDF'), {
          contentType: 'application/pdf',
        });
        const file = { key, contentType: 'application/pdf', fileName: 'trial.pdf', bytes: size, sha256 };
        return { result: { said: 'a file' }, file };
      });
    });

    it('returns the file with the job’s Location', async () => {
      const { status, headers, bytes } = await makeFile('file');
      expect(status).toBe(200);
      expect(headers.get('content-type')).toBe('application/pdf');
      expect(headers.get('location')).toMatch(/^\/v2\/jobs\/trial_/);
      expect(bytes.toString()).toBe('%PDF');
    });

    it.each(['application/json', '*/*', 'application/json, application/pdf;q=0.5', 'text/html'])(
      'is not returned for Accept: %s',
      async accept => {
        const reply = await makeFile('file', { accept });
        expect(reply.status).toBe(202);
        await client.waitForJob(jobOf(reply).id);
      },
    );

    it('returns 202 with the job when the file is not ready in time', async () => {
      const finish = gate();
      trials.when('late file', () => finish.opened.then(() => 'done'));
      const reply = await makeFile('late file', { prefer: 'wait=1' });
      expect(reply.status).toBe(202);
      expect(jobOf(reply).state).toBe('running');
      finish.open();
    });

    it('returns the problem and status of a failed job, never 2xx', async () => {
      trials.when('no file', async () => {
        throw new ServiceError('photo-unavailable', 'One photo is unavailable.', {
          faults: [{ pointer: '/list/0/photo/0', detail: 'The server answered 404.' }],
        });
      });
      const { status, headers, body } = await makeFile('no file');
      expect(status).toBe(422);
      expect(headers.get('location')).toMatch(/^\/v2\/jobs\/trial_/);
      expect(body).toMatchObject({
        type: 'http://portal.example/v2/problems/photo-unavailable',
        errors: [{ pointer: '/list/0/photo/0', detail: 'The server answered 404.' }],
      });
    });

    it('returns a problem when the job is cancelled during the wait', async () => {
      trials.when('cancelled file', untilAborted);
      const response = makeFile('cancelled file');
      await expect.poll(() => trials.attempts('cancelled file')).toEqual([1]);
      const [running] = await service.records.list({ clientId: client.clientId, state: 'running', limit: 1 });
      await client.request('DELETE', `/jobs/${running?.id}`);
      expect(await response).toMatchObject({
        status: 409,
        body: { type: 'http://portal.example/v2/problems/job-cancelled' },
      });
    });
  });
});
