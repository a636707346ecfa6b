/** GET /metrics: login, metrics of the API process and of the whole service, behaviour while the database is down. */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newJobId } from '../../../../core/jobs/contract.ts';
import { registry } from '../../../../core/telemetry/meter.ts';
import { openLink } from '../../../support/link-clicks.ts';
import { startTcpProxy, type TcpProxy } from '../../../support/tcp-proxy.ts';
import { startTestService, type TestService } from '../../../support/test-service.ts';
import { openTrials, trialContracts, trialOperations } from '../../../support/trial-jobs.ts';

const trials = openTrials();
let service: TestService;
let proxy: TcpProxy;

beforeAll(async () => {
  // Earlier tests in this process have counted too.
  registry.resetMetrics();
  service = await startTestService('metrics', {
    contracts: trialContracts,
    operations: trialOperations,
    env: { OPS_USER: 'ops', OPS_PASSWORD: 'a password of operations' },
    databaseUrl: async url => {
      proxy = await startTcpProxy(url);
      return proxy.url;
    },
  });
});
afterAll(async () => {
  await service.close();
  await proxy.close();
});

const login = { authorization: `Basic ${Buffer.from('ops:a password of operations').toString('base64')}` };
const getMetrics = (headers: Record<string, string>, base = '/v2') =>
  fetch(`${service.origin}${base}/metrics`, { headers });
const scrape = async (): Promise<string> => await (await getMetrics(login)).text();
/** The value of a series, by the beginning of its line. */
const valueIn = (text: string, series: string): number | undefined => {
  const found = text.split('\n').find(each => each.startsWith(series));
  return found === undefined ? undefined : Number(found.split(' ').at(-1));
};

/** A waiting job, accepted this long ago. */
async function addWaiting(kind: string, secondsAgo: number): Promise<string> {
  const id = newJobId(kind);
  await service.records.create({ id, kind, clientId: 'one', payload: { name: 'waits' }, attemptsMax: 1 });
  await service.database.execute(
    sql`update job set queued_at = now() - ${secondsAgo} * interval '1 second' where id = ${id}`,
  );
  return id;
}

describe('the metrics', () => {
  it('are sent to the operator login', async () => {
    const answer = await getMetrics(login, '');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it('count unfinished jobs and report the age of the oldest waiting one', async () => {
    await addWaiting('solo', 20);
    const older = await addWaiting('solo', 90);
    const before = await scrape();
    expect(valueIn(before, 'portal_jobs{kind="solo",state="queued"}')).toBe(2);
    expect(valueIn(before, 'portal_job_oldest_waiting_seconds{kind="solo"}')).toBeCloseTo(90, -1);
    expect(valueIn(before, 'portal_job_oldest_waiting_seconds{kind="trial"}')).toBe(0);

    await service.records.requestCancel(older);
    const after = await scrape();
    expect(valueIn(after, 'portal_jobs{kind="solo",state="queued"}')).toBe(1);
    expect(valueIn(after, 'portal_job_oldest_waiting_seconds{kind="solo"}')).toBeCloseTo(20, -1);
    expect(valueIn(after, 'portal_jobs_ended_total{kind="solo",state="cancelled"')).toBe(1);

    // The waiting time of a retried job counts from the retry.
    await service.records.requeue(older);
    expect(valueIn(await scrape(), 'portal_jobs{kind="solo",state="queued"}')).toBe(2);
    expect(valueIn(await scrape(), 'portal_job_oldest_waiting_seconds{kind="solo"}')).toBeCloseTo(20, -1);
  });

  it('count attempts and durations of a job with a failed attempt', async () => {
    trials.when('hard', async ({ attempt }) => {
      if (attempt === 1) throw new Error('not yet');
      return 'done';
    });
    const worker = service.startWorker(trials.servedKinds);
    const client = await service.client(['trial']);
    const { id } = await client.requestJob('POST', '/trials/trial', { body: { name: 'hard' } });
    expect(await client.waitForJob(id)).toMatchObject({ state: 'succeeded' });
    await worker.stop();

    const text = await scrape();
    expect(valueIn(text, 'portal_http_requests_total{operation="trials.start-trial",status="202"')).toBe(1);
    expect(valueIn(text, 'portal_jobs_accepted_total{kind="trial"')).toBe(1);
    expect(valueIn(text, 'portal_job_retries_total{kind="trial"')).toBe(1);
    expect(valueIn(text, 'portal_jobs_ended_total{kind="trial",state="succeeded"')).toBe(1);
    expect(valueIn(text, 'portal_job_wait_seconds_count{kind="trial"')).toBe(1);
    expect(valueIn(text, 'portal_job_run_seconds_count{kind="trial",outcome="retried"')).toBe(1);
    expect(valueIn(text, 'portal_job_run_seconds_count{kind="trial",outcome="succeeded"')).toBe(1);
  });

  it('count each redirect once, also those of the redirect shortcut', async () => {
    const counted = async () =>
      valueIn(await scrape(), 'portal_http_requests_total{operation="links.open",status="302"') ?? 0;
    const [made] = await service.links.create([
      { kind: 'brochure', name: 'x', url: 'https://example.com/', utm: {}, clientId: 'one' },
    ]);
    await service.redirects.warm;
    const before = await counted();
    for (let click = 0; click < 3; click++) await openLink(`${service.origin}/r/${made?.link.slug}`);
    expect((await counted()) - before).toBe(3);
  });

  it('are those of the process, within seconds, while the database is down', async () => {
    const ofTheProcess = 'portal_http_requests_total{operation="trials.start-trial",status="401"';
    await fetch(`${service.origin}/v2/trials/trial`, { method: 'POST' });
    const before = valueIn(await scrape(), ofTheProcess);
    expect(before).toBeGreaterThan(0);
    proxy.hang();
    const text = await scrape().finally(() => proxy.restore());
    expect(valueIn(text, 'portal_database_up')).toBe(0);
    expect(valueIn(text, ofTheProcess)).toBe(before);
    expect(valueIn(text, 'portal_jobs{')).toBeUndefined();
    await expect.poll(scrape).toContain('portal_database_up 1');
  });
});
