/** Operator pages over HTTP: login, rejected requests, audit trail of actions. */
import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditTable } from '../../../../core/postgres/schema.ts';
import { createProcessMetrics } from '../../../../core/telemetry/process-metrics.ts';
import { startTcpProxy, type TcpProxy } from '../../../support/tcp-proxy.ts';
import { startTestService, type TestService } from '../../../support/test-service.ts';
import { openTrials, soloJob, trialContracts, trialJob, untilAborted } from '../../../support/trial-jobs.ts';

const basic = (login: string) => ({ authorization: `Basic ${Buffer.from(login).toString('base64')}` });
const duty = basic('duty:secret');
const fromPage = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/x-www-form-urlencoded' };

describe('the operator pages', () => {
  let service: TestService;
  const trials = openTrials();

  beforeAll(async () => {
    service = await startTestService('ops', {
      contracts: trialContracts,
      env: { OPS_USER: 'duty', OPS_PASSWORD: 'secret', CRM_URL: 'https://crm.example/rest' },
    });
    service.startWorker(trials.servedKinds);
  });
  afterAll(() => service?.close());

  const get = (path: string, headers: Record<string, string> = duty) =>
    fetch(`${service.origin}/v2/ops${path}`, { headers, redirect: 'manual' });
  const post = (path: string, seen: string, headers: Record<string, string> = { ...duty, ...fromPage }) =>
    fetch(`${service.origin}/v2/ops${path}`, {
      method: 'POST',
      headers,
      body: new URLSearchParams({ seen }).toString(),
      redirect: 'manual',
    });
  /** The state in the hidden field of a confirmation. */
  const seenOf = async (path: string) => /name="seen" value="([^"]*)"/.exec(await (await get(path)).text())?.[1] ?? '';
  const stateOf = async (id: string) => (await service.records.find(id))?.state;
  const auditOf = async (target: string) =>
    (await service.database.select().from(auditTable)).filter(entry => entry.target === target);

  async function held(name: string): Promise<string> {
    trials.when(name, async ({ released }) =>
      released ? 'done' : { held: { report: { said: 'would do it' }, plan: {} } },
    );
    const { id } = await service.jobs.submit(soloJob, { clientId: 'portal', payload: { name } });
    await expect.poll(() => stateOf(id)).toBe('held');
    return id;
  }

  it('require the login or a token with the scope ops', async () => {
    const bearer = async (scope: string) => ({
      authorization: `Bearer ${(await service.client([scope])).accessToken}`,
    });
    for (const headers of [{}, basic('duty:wrong'), basic('duty'), { authorization: 'Bearer pst_unknown' }]) {
      const rejected = await get('', { ...headers });
      expect(rejected.status).toBe(401);
      expect(rejected.headers.get('www-authenticate')).toMatch(/^Basic realm=/);
      expect(await rejected.text()).not.toContain('Queues');
    }
    expect((await get('', await bearer('jobs:all'))).status).toBe(403);
    expect((await get('', await bearer('ops'))).status).toBe(200);
    expect((await get('/jobs/x')).status).toBe(404);
  });

  it('allow only their own script, and forbid framing', async () => {
    const page = await get('');
    const { headers } = page;
    const policy = headers.get('content-security-policy');
    const [script, ...others] = [...(await page.text()).matchAll(/<script>(.*?)<\/script>/gs)].map(([, text]) => text);
    const allowed = `'sha256-${hash('sha256', script ?? '', 'base64')}'`;
    expect(others).toEqual([]);
    expect(policy?.split('; ').slice(-2)).toEqual([`script-src ${allowed}`, "connect-src 'self'"]);
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self';/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('sum the calls of all processes to an integration', async () => {
    const metrics = createProcessMetrics(service.database);
    const calls = (status: string, value: number) => ({
      metricName: 'portal_outside_call_duration_seconds_count',
      value,
      labels: { system: 'crm', method: 'POST', status },
    });
    const circuit = (value: number) => ({ value, labels: { system: 'crm' } });
    for (const [instance, counted, state] of [
      ['one:1', [calls('2xx', 40), calls('4xx', 3), calls('5xx', 2)], 2],
      ['two:1', [calls('2xx', 5), calls('none', 1)], 0],
    ] as const) {
      const snapshot = [
        { name: 'portal_outside_call_duration_seconds', values: counted },
        { name: 'portal_circuit_state', values: [circuit(state)] },
      ];
      await metrics.write({ process: 'worker', instance, snapshot });
    }
    await metrics.write({ process: 'worker', instance: 'of-another-version:1', snapshot: { other: true } });
    const page = await (await get('')).text();
    const row = /<th scope="row">The CRM<\/th>.*/
      .exec(page)?.[0]
      .replace(/<[^>]+>/g, ' ')
      .replace(/\s+/g, ' ');
    expect(row?.trim()).toBe('The CRM itself open in 1 of 3 processes 51 3');
  });

  it('reject requests from other sites and confirmations of an old state', async () => {
    const id = await held('guarded');
    const path = `/jobs/${id}/release`;
    const seen = await seenOf(path);
    for (const forged of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ]) {
      const headers = { ...duty, 'content-type': 'application/x-www-form-urlencoded', ...forged };
      expect((await post(path, seen, headers)).status, JSON.stringify(forged)).toBe(403);
    }
    expect((await post(path, seen, fromPage)).status).toBe(401);
    expect((await post(path, 'held 2020-01-01T00:00:00.000Z 1')).status).toBe(409);
    expect(await stateOf(id)).toBe('held');
    expect(await auditOf(`/jobs/${id}`)).toEqual([]);
  });

  it('drop a held run once', async () => {
    const id = await held('dropped');
    const seen = await seenOf(`/jobs/${id}/drop`);
    const answer = await post(`/jobs/${id}/drop`, seen);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `/v2/ops/jobs/${id}?done=dropped`]);
    expect(await stateOf(id)).toBe('cancelled');
    expect((await post(`/jobs/${id}/drop`, seen)).status).toBe(409);
    expect(await auditOf(`/jobs/${id}`)).toMatchObject([
      { actorKind: 'operator', actor: 'duty', action: 'jobs.cancel', before: { state: 'held' } },
    ]);
  });

  it('cancel a running job and record the client in the audit trail', async () => {
    trials.when('endless', untilAborted);
    const { id } = await service.jobs.submit(trialJob, { clientId: 'portal', payload: { name: 'endless' } });
    await expect.poll(() => stateOf(id)).toBe('running');
    const client = await service.client(['ops'], 'ops-robot');
    const headers = { ...fromPage, authorization: `Bearer ${client.accessToken}` };
    const answer = await post(`/jobs/${id}/cancel`, await seenOf(`/jobs/${id}/cancel`), headers);
    expect(answer.headers.get('location')).toMatch(/done=stopping$/);
    await expect.poll(() => stateOf(id)).toBe('cancelled');
    expect(await auditOf(`/jobs/${id}`)).toMatchObject([
      { actorKind: 'client', actor: 'ops-robot', action: 'jobs.cancel', before: { state: 'running' } },
    ]);
  });

  it('return 409 and 404 with a page for impossible actions', async () => {
    const { id } = await service.jobs.submit(trialJob, { clientId: 'portal', payload: { name: 'over' } });
    await expect.poll(() => stateOf(id)).toBe('succeeded');
    const answer = await get(`/jobs/${id}/release`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([409, 'text/html; charset=utf-8']);
    expect(await answer.text()).toContain('This action is not possible in the job’s state: succeeded.');
    for (const path of [`/jobs/${id}/explode`, '/schedules/unknown/run', '/jobs/trial_0/release'])
      expect((await get(path)).status, path).toBe(404);
  });

  it('answer 401 to twenty of 200 concurrent wrong logins from an address, then 429; the login and tokens work', async () => {
    const wrong = await Promise.all(Array.from({ length: 200 }, (_, guess) => get('', basic(`duty:${guess}`))));
    const statuses = wrong.map(({ status }) => status);
    // Earlier tests sent wrong logins too.
    expect(statuses.filter(status => status === 401).length).toBeLessThanOrEqual(20);
    expect(statuses.filter(status => status === 429).length).toBeGreaterThanOrEqual(180);
    const rejected = await get('', basic('duty:again'));
    expect(rejected.status).toBe(429);
    expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(200);
    expect((await get('')).status).toBe(200);
    const { accessToken } = await service.client(['ops']);
    expect((await get('', { authorization: `Bearer ${accessToken}` })).status).toBe(200);
  });
});

describe('while the database is down', () => {
  it('the overview page shows the status only', async () => {
    let proxy: TcpProxy | undefined;
    const service = await startTestService('ops-away', {
      env: { OPS_USER: 'duty', OPS_PASSWORD: 'secret' },
      databaseUrl: async url => {
        proxy = await startTcpProxy(url);
        return proxy.url;
      },
    });
    try {
      await proxy?.cut();
      const page = await (await fetch(`${service.origin}/ops`, { headers: duty })).text();
      expect(page).toContain('Not ready');
      expect(page).toContain('The database does not answer; only this page’s status is available.');
    } finally {
      await proxy?.restore();
      await service.close();
      await proxy?.close();
    }
  });
});
