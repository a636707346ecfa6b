/** Operator pages over HTTP: login, rejected requests, audit trail of actions. */
import { hash } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { EgressConfig } from '../../../../core/egress/config.ts';
import type { PlannedChanges } from '../../../../core/jobs/record.ts';
import { auditTable } from '../../../../core/postgres/schema.ts';
import { problemType } from '../../../../core/runtime/errors.ts';
import { startCallbackDispatcher } from '../../../../workers/runtime/callback-dispatcher.ts';
import { startCallbackReceiver } from '../../../support/callback-receiver.ts';
import { startTcpProxy, type TcpProxy } from '../../../support/tcp-proxy.ts';
import { startTestService, useService } from '../../../support/test-service.ts';
import { soloJob, trialJob, untilAborted } from '../../../support/trial-jobs.ts';
import { useTrials } from '../../../support/use-trials.ts';

const basic = (login: string) => ({ authorization: `Basic ${Buffer.from(login).toString('base64')}` });
const duty = basic('duty:secret');
const fromPage = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/x-www-form-urlencoded' };

describe('the operator pages', () => {
  const { service, trials } = useTrials('ops', () => ({
    env: { OPS_USER: 'duty', OPS_PASSWORD: 'secret', CRM_URL: 'https://crm.example/rest' },
  }));

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

  it('require the login', async () => {
    for (const headers of [{}, basic('duty:wrong'), basic('duty'), { authorization: 'Bearer pst_unknown' }]) {
      const rejected = await get('', { ...headers });
      expect(rejected.status).toBe(401);
      expect(rejected.headers.get('www-authenticate')).toMatch(/^Basic realm=/);
      expect(await rejected.text()).not.toContain('Queues');
    }
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

  it('show the jobs that wait for an outside system, and its circuit', async () => {
    const { id } = await service.jobs.submit(trialJob, { clientId: 'portal', payload: { name: 'waiting' } });
    await expect.poll(() => stateOf(id)).toBe('succeeded');
    const error = {
      type: problemType('waiting-for-system'),
      title: 'The job waits for an outside system',
      upstream: { system: 'crm', operation: 'GET /users', status: 500 },
    };
    await service.database.execute(
      sql`update job set state = 'scheduled', error = ${JSON.stringify(error)}::jsonb where id = ${id}`,
    );
    const text = async () => (await (await get('')).text()).replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
    expect(await text()).toContain('The CRM itself closed 1 ');
    expect(await text()).toContain('1 job waits, because calls to crm fail.');
    await service.database.execute(sql`update job set state = 'succeeded', error = null where id = ${id}`);
    expect(await text()).toContain('The CRM itself closed 0 ');
    expect(await text()).not.toContain('calls to crm fail');
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

  it('show the changes of a held run by name and reason, with samples, in full and as CSV', async () => {
    const names = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ key: `MP-${index}`, name: `Person ${index} <b>` }));
    const reason = 'Not in the records any more.';
    const changes: PlannedChanges[] = [
      { outcome: 'deleted', reason, items: names(1_212) },
      {
        outcome: 'updated',
        reason: 'In the local list only: phone.',
        items: [{ key: '7', name: '=HYPERLINK("x")', detail: 'phone: "1" → 2' }],
      },
    ];
    trials.when('named', async () => ({
      held: { report: { said: 'would do it' }, plan: { secret: 'as it is' }, changes },
    }));
    const { id } = await service.jobs.submit(soloJob, { clientId: 'portal', payload: { name: 'named' } });
    await expect.poll(() => stateOf(id)).toBe('held');

    const page = await (await get(`/jobs/${id}`)).text();
    expect(page).toContain('Delete 1,212');
    expect(page).toContain(`<p>${reason}</p>`);
    expect(page).toContain('<summary>Show all 1,212</summary>');
    expect(page.match(/<b>Person \d+ &lt;b&gt;<\/b>/g)).toHaveLength(500);
    expect(page).toContain('and 712 more');
    expect(page).toContain('phone: &quot;1&quot; → 2');
    expect(page).not.toContain('as it is');

    const confirmation = await (await get(`/jobs/${id}/release`)).text();
    const sample = Array.from({ length: 5 }, (_, index) => `Person ${index} &lt;b&gt;`).join('; ');
    expect(confirmation).toContain(`${reason} <span class="quiet">${sample} and 1,207 more</span>`);

    const csv = await get(`/jobs/${id}/plan.csv`);
    expect(csv.headers.get('content-disposition')).toBe(`attachment; filename="${id}.csv"`);
    const lines = Buffer.from(await csv.arrayBuffer())
      .toString()
      .split('\r\n');
    expect(lines).toHaveLength(1 + 1_213 + 1);
    expect(lines[0]).toBe('\ufeff"outcome","reason","key","name","detail"');
    expect(lines.at(-2)).toBe(`"updated","In the local list only: phone.","7","'=HYPERLINK(""x"")","phone: ""1"" → 2"`);
    expect((await get(`/jobs/${id}/plan.csv`, {})).status).toBe(401);
  });

  it('give the result of a job as a download', async () => {
    const content = Buffer.from('%PDF-1.7 any');
    trials.when('file', async ({ jobId }) => {
      const key = `trial/${jobId}.pdf`;
      const { size, sha256 } = await service.results.put(key, content, { contentType: 'application/pdf' });
      return {
        result: { said: 'x' },
        file: {
          key,
          contentType: 'application/pdf',
          fileName: 'a.pdf',
          bytes: size,
          sha256,
          parts: [{ fileName: 'b.jpg', contentType: 'image/jpeg', bytes: 4, sha256, offset: 1 }],
        },
      };
    });
    const done = async (name: string) => {
      const { id } = await service.jobs.submit(trialJob, { clientId: 'portal', payload: { name } });
      await expect.poll(() => stateOf(id)).toBe('succeeded');
      return id;
    };
    const file = await done('file');
    expect(await (await get(`/jobs/${file}`)).text()).toContain(`href="/v2/ops/jobs/${file}/result"`);
    const pdf = await get(`/jobs/${file}/result`);
    expect(pdf.headers.get('content-disposition')).toBe('attachment; filename="a.pdf"');
    expect(Buffer.from(await pdf.arrayBuffer()).equals(content)).toBe(true);
    expect((await get(`/jobs/${file}/result`, { ...duty, range: 'bytes=0-3' })).status).toBe(206);
    expect(await (await get(`/jobs/${file}`)).text()).toContain(`href="/v2/ops/jobs/${file}/result/files/b.jpg"`);
    const part = await get(`/jobs/${file}/result/files/b.jpg`);
    expect(part.headers.get('content-type')).toBe('image/jpeg');
    expect(Buffer.from(await part.arrayBuffer())).toEqual(Buffer.from(content).subarray(1, 5));
    expect((await get(`/jobs/${file}/result/files/c.jpg`)).status).toBe(404);

    const report = await done('report');
    const json = await get(`/jobs/${report}/result`);
    expect(json.headers.get('content-disposition')).toBe(`attachment; filename="${report}.json"`);
    expect(await json.json()).toEqual({ said: 'report' });

    expect((await get(`/jobs/${file}/result`, {})).status).toBe(401);
    const unfinished = await get(`/jobs/${await held('no-result')}/result`);
    expect([unfinished.status, unfinished.headers.get('content-type')]).toEqual([409, 'text/html; charset=utf-8']);
  });

  it('list the deliveries of a callback, and send it again', async () => {
    const receiver = await startCallbackReceiver();
    const dispatcher = startCallbackDispatcher(service, {
      baseUrl: 'https://portal.example/v2',
      retrySeconds: [0.05],
      allow: EgressConfig.parse({ EGRESS_ALLOW: receiver.host }).EGRESS_ALLOW,
    });
    try {
      receiver.answerWith('/hook', time => (time <= 2 ? 503 : 204));
      const order = { clientId: 'portal', payload: { name: 'called' }, callbackUrl: receiver.url('/hook') };
      const { id } = await service.jobs.submit(trialJob, order);
      const callbackOf = async () => (await service.records.find(id))?.callback;
      await expect.poll(async () => (await callbackOf())?.state).toBe('failed');
      const page = await (await get(`/jobs/${id}`)).text();
      expect(page).toContain(`To ${receiver.host}: <b>given up</b>`);
      expect(page.match(/<td data-label="Status">503<\/td>/g)).toHaveLength(2);

      const path = `/jobs/${id}/callback`;
      const seen = await seenOf(path);
      expect((await post(path, seen, { ...duty, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
      const answer = await post(path, seen);
      expect([answer.status, answer.headers.get('location')]).toEqual([303, `/v2/ops/jobs/${id}?done=callback-due`]);
      await expect.poll(async () => (await callbackOf())?.state).toBe('delivered');
      // A second click on the same confirmation does not send it again.
      expect((await post(path, seen)).status).toBe(409);

      const posts = receiver.received('/hook');
      expect(posts).toHaveLength(3);
      expect(new Set(posts.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
      const after = await (await get(`/jobs/${id}`)).text();
      expect(after).toContain(`To ${receiver.host}: <b>delivered</b>`);
      expect(after).toContain('<td data-label="Status">204</td><td data-label="Outcome">delivered</td>');
      expect(after).toContain('An operator requested another delivery of the callback.');
      expect(await auditOf(`/jobs/${id}`)).toMatchObject([
        { actorKind: 'operator', actor: 'duty', action: 'jobs.sendCallback', before: { state: 'failed', tries: 2 } },
      ]);
    } finally {
      await dispatcher.stop();
      await receiver.close();
    }
  });

  it('send no callback of a job without one, or before its end', async () => {
    trials.when('waits', untilAborted);
    const callbackUrl = 'http://127.0.0.1:9/hook';
    const running = await service.jobs.submit(trialJob, {
      clientId: 'portal',
      payload: { name: 'waits' },
      callbackUrl,
    });
    await expect.poll(() => stateOf(running.id)).toBe('running');
    const plain = await service.jobs.submit(trialJob, { clientId: 'portal', payload: { name: 'plain' } });
    await expect.poll(() => stateOf(plain.id)).toBe('succeeded');
    for (const { id } of [running, plain]) {
      expect((await get(`/jobs/${id}/callback`)).status).toBe(409);
      expect(await (await get(`/jobs/${id}`)).text()).not.toContain('Send again');
    }
    await post(`/jobs/${running.id}/cancel`, await seenOf(`/jobs/${running.id}/cancel`));
    await expect.poll(() => stateOf(running.id)).toBe('cancelled');
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
});

describe('wrong logins', () => {
  const service = useService('ops-logins', () => ({ env: { OPS_USER: 'duty', OPS_PASSWORD: 'secret' } }));
  const get = (headers: Record<string, string>) => fetch(`${service.origin}/v2/ops`, { headers });

  it('are answered with 401 for twenty of 200 concurrent ones from an address, then 429; the login and tokens work', async () => {
    const wrong = await Promise.all(Array.from({ length: 200 }, (_, guess) => get(basic(`duty:${guess}`))));
    const statuses = wrong.map(({ status }) => status);
    expect(statuses.filter(status => status === 401)).toHaveLength(20);
    expect(statuses.filter(status => status === 429)).toHaveLength(180);
    const rejected = await get(basic('duty:again'));
    expect(rejected.status).toBe(429);
    expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(200);
    expect((await get(duty)).status).toBe(200);
    const { accessToken } = await service.client(['ops']);
    expect((await get({ authorization: `Bearer ${accessToken}` })).status).toBe(200);
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
