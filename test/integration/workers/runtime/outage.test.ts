/** Jobs during outages of vendor systems: they wait without using attempts, and continue from their checkpoint. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Explanation } from '../../../../api/jobs/job-explanation.ts';
import { waitingFor } from '../../../../core/integrations/kit/call-context.ts';
import { UpstreamError } from '../../../../core/integrations/kit/upstream-error.ts';
import locationSync from '../../../../workers/location-sync/contract.ts';
import locationSyncHandler from '../../../../workers/location-sync/handler.ts';
import { useSandbox } from '../../../support/sandbox.ts';
import { backends, useClient, useService } from '../../../support/test-service.ts';
import { openTrials, trialContracts, trialOperations } from '../../../support/trial-jobs.ts';

const contracts = new Map([...trialContracts, [locationSync.kind, locationSync]]);
const unavailable = () =>
  new UpstreamError('upstream-unavailable', 'The CRM has failed several times in a row.', {
    kind: 'paused',
    system: 'crm',
    retryAfterMs: 1,
  });

describe.each(backends)('a job on %s', backend => {
  const sandbox = useSandbox();
  const service = useService(`outage-${backend}`, () => ({
    backend,
    sandboxUrl: sandbox.url,
    operations: trialOperations,
    contracts,
    circuitPauses: { firstMs: 50, maxMs: 100 },
    env: {
      OPS_USER: 'duty',
      OPS_PASSWORD: 'secret',
      LISTING_PORTAL_CALLS_PER_MINUTE: '100000',
      CRM_REQUESTS_PER_SECOND: '100',
      CRM_REQUEST_BURST: '10000',
    },
  }));
  const client = useClient(service, ['trial', 'crm:sync', 'portal:read']);
  const trials = openTrials();

  beforeAll(async () => {
    const handler = await locationSyncHandler.open({}, service);
    service.startWorker([...trials.servedKinds, { contract: locationSync, handler }]);
    await sandbox.control.settings('listing-portal', { callLimit: false });
    await sandbox.control.settings('crm', { callLimit: false });
  });
  afterEach(async () => {
    for (const system of ['listing-portal', 'crm']) await sandbox.control.reset(system);
    await sandbox.control.settings('crm', { callLimit: false });
  });

  const start = (name: string, kind = 'trial') =>
    client.requestJob('POST', `/trials/${kind}`, { body: { name } }).then(job => job.id);
  /** Until `endFaults`: a job that waits for a few failures only may continue before the test sees that it waits. */
  const fail = (system: string, skip = 0) => sandbox.control.fault(system, { fault: 'error-500', skip, times: 10_000 });
  const explain = async (id: string) => Explanation.parse((await client.request('GET', `/jobs/${id}/explain`)).body);

  it('updates the locations after an outage of the listing portal, without a restart', async () => {
    await fail('listing-portal');
    const body = { dryRun: false, scope: { city: 'Umm Al Quwain' } };
    const { id } = await client.requestJob('POST', '/apps/listing-portal/v1/locations/update', { body });
    const waiting = await client.waitForJob(id, job => job.state === 'scheduled');
    expect(waiting).toMatchObject({
      attempts: { made: 0 },
      error: {
        type: 'http://portal.example/v2/problems/waiting-for-system',
        upstream: {
          system: 'listing-portal',
          operation: expect.stringMatching(/^(GET|POST) \/v1\//),
          status: 500,
          at: expect.any(String),
        },
      },
    });
    const explained = await explain(id);
    await sandbox.control.endFaults('listing-portal');
    if (explained.state === 'scheduled') {
      expect(explained).toMatchObject({
        cause: 'system-unavailable',
        reason: expect.stringContaining('The listing portal'),
        nextAttemptAt: expect.any(String),
      });
    }
    expect(await client.releasedJob(id)).toMatchObject({ state: 'succeeded', attempts: { made: 1 }, error: null });
  });

  it.runIf(backend === 'postgres')(
    'adds each location once and reads the portal once when the CRM fails meanwhile',
    async () => {
      const locationsInCrm = async () => (await sandbox.control.rows('crm', 'locations', 50_000)).count;
      const scope = { city: 'Sharjah' };
      const update = { body: { dryRun: false, scope } };
      const { id: firstRead } = await client.requestJob('POST', '/apps/listing-portal/v1/locations/update', update);
      await client.releasedJob(firstRead);
      const callsOf = async (system: string) => (await sandbox.control.requests(system)).total;
      const sync = async (dryRun: boolean) => {
        const body = { dryRun, scope };
        return (await client.requestJob('POST', '/apps/crm/v1/locations/sync', { body })).id;
      };
      const planned = locationSync.result.parse((await client.waitForJob(await sync(true))).result);
      const before = await locationsInCrm();
      // The reads, the links, the look-ups of all batches' portal ids and the first of two requests with additions succeed.
      const skip = (await callsOf('crm')) + 2 * Math.ceil(planned.updated / 50) + 3;
      await fail('crm', skip);
      const id = await sync(false);
      await client.waitForJob(id, job => job.state === 'scheduled');
      const added = (await locationsInCrm()) - before;
      expect(added).toBeGreaterThan(0);
      expect(added).toBeLessThan(planned.created);
      const callsBefore = await callsOf('listing-portal');
      await sandbox.control.endFaults('crm');
      const job = await client.waitForJob(id);
      expect(job).toMatchObject({ state: 'succeeded', attempts: { made: 1 } });
      const { created, updated, failed } = planned;
      expect(job.result).toMatchObject({ created, updated, failed });
      expect(await locationsInCrm()).toBe(before + created);
      expect(await callsOf('listing-portal')).toBe(callsBefore);
    },
  );

  it.runIf(backend === 'postgres')(
    'does not read the listing portal while the CRM, to which a sync writes, is not available',
    async () => {
      await fail('crm');
      const body = { dryRun: true, scope: { city: 'Umm Al Quwain' } };
      const { id } = await client.requestJob('POST', '/apps/crm/v1/locations/sync', { body });
      await client.waitForJob(id, job => job.state === 'scheduled');
      expect((await sandbox.control.requests('listing-portal')).total).toBe(0);
      await sandbox.control.endFaults('crm');
      expect(await client.waitForJob(id)).toMatchObject({ state: 'succeeded' });
    },
  );

  it('waits longer than its attempts would last, and resumes from its checkpoint', async () => {
    let runs = 0;
    trials.when('patient', async context => {
      const done = await context.checkpoint.read();
      await context.checkpoint.write([...(Array.isArray(done) ? done : []), context.attempt]);
      runs += 1;
      if (runs < 6) throw unavailable();
      return JSON.stringify(await context.checkpoint.read());
    });
    const job = await client.waitForJob(await start('patient'));
    expect(job).toMatchObject({ state: 'succeeded', attempts: { made: 1 }, result: { said: '[1,1,1,1,1,1]' } });
  });

  it.each([
    { what: 'one endpoint of a system fails', failing: { kind: 'failing', status: 500 } },
    { what: 'a system keeps throttling its calls', failing: { kind: 'limit', status: 429 } },
  ] as const)(
    'waits while $what and the circuit is closed, longer than its attempts would last',
    async ({ what, failing }) => {
      let runs = 0;
      trials.when(what, async () => {
        runs += 1;
        if (runs < 5) throw new UpstreamError('upstream-failed', 'The CRM failed.', { system: 'crm', ...failing });
        return 'done';
      });
      const id = await start(what);
      expect(await client.waitForJob(id, job => job.state === 'scheduled')).toMatchObject({
        attempts: { made: 0 },
        error: { type: 'http://portal.example/v2/problems/waiting-for-system', detail: 'The CRM failed.' },
      });
      expect(await client.waitForJob(id)).toMatchObject({ state: 'succeeded', attempts: { made: 1, max: 3 } });
    },
  );

  it('is explained while it waits, also in its timeline', async () => {
    let isAway = true;
    trials.when('explained', async () => {
      if (isAway) throw new UpstreamError('upstream-unavailable', 'The CRM has failed.', longOutage);
      return 'done';
    });
    const longOutage = { ...unavailable().failure, retryAfterMs: 3_000 };
    const id = await start('explained');
    await client.waitForJob(id, job => job.state === 'scheduled');
    const { nextAttemptAt, ...explained } = await explain(id);
    expect(explained).toMatchObject({
      cause: 'system-unavailable',
      reason: `The job waits for an outside system until ${nextAttemptAt}: The CRM has failed.`,
      startsInSeconds: expect.any(Number),
    });
    isAway = false;
    expect(await client.waitForJob(id)).toMatchObject({ state: 'succeeded' });
    const timeline = JSON.stringify((await client.request('GET', `/jobs/${id}/timeline`)).body);
    expect(timeline).toContain('The job waits for an outside system; the attempt does not count');
  });

  it.each([
    { status: 503, answer: 'status 503' },
    { status: null, answer: 'no answer' },
  ])('shows the last call to the system in its error, timeline and page ($answer)', async shown => {
    const at = new Date().toISOString();
    const call = { operation: 'POST /crm.item.add', status: shown.status, at };
    const failure = { ...unavailable().failure, kind: 'rejected', call } as const;
    trials.when('shown', () => Promise.reject(new UpstreamError('upstream-failed', 'The CRM failed.', failure)));
    const job = await client.waitForJob(await start('shown'));
    expect(job).toMatchObject({ state: 'failed', error: { status: 502, upstream: { system: 'crm', ...call } } });
    const timeline = JSON.stringify((await client.request('GET', `/jobs/${job.id}/timeline`)).body);
    expect(timeline).toContain(`The job failed: The CRM failed. (crm, POST /crm.item.add: ${shown.answer}, ${at})`);
    const authorization = `Basic ${Buffer.from('duty:secret').toString('base64')}`;
    const page = await fetch(`${service.origin}/v2/ops/jobs/${job.id}`, { headers: { authorization } });
    expect(await page.text()).toContain(
      `Last call to <code>crm</code>: <code>POST /crm.item.add</code>, ${shown.answer}`,
    );
  });

  it('fails with the reason when the outage is longer than the maximum', async () => {
    trials.when('hopeless', async ({ jobId }) => {
      await service.database.execute(sql`update job set started_at = now() - interval '7 hours' where id = ${jobId}`);
      throw unavailable();
    });
    expect(await client.waitForJob(await start('hopeless'))).toMatchObject({
      state: 'failed',
      attempts: { made: 3, max: 3 },
      error: {
        type: 'http://portal.example/v2/problems/upstream-unavailable',
        detail: 'The CRM has failed several times in a row.',
      },
    });
  });

  it('is retried when its time limit passes while a call waits, with that reason', async () => {
    trials.when('waiting', ({ signal, attempt }) =>
      attempt === 1
        ? waitingFor('the rate limit of the CRM', () => sleep(30_000, 'late', { signal }))
        : Promise.resolve('done'),
    );
    const id = await start('waiting', 'hasty');
    expect(await client.waitForJob(id)).toMatchObject({ state: 'succeeded', attempts: { made: 2 } });
    const timeline = JSON.stringify((await client.request('GET', `/jobs/${id}/timeline`)).body);
    expect(timeline).toContain('while a call waited for the rate limit of the CRM');
  });
});
