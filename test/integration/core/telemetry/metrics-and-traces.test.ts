/**
 * Log, traces and metrics of a real API and worker process at `LOG_LEVEL=trace`, with the outside systems in the sandbox.
 * Secrets and personal data contain marked words, so that the tests find them in any output.
 */
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { freePort } from '../../../../core/runtime/free-port.ts';
import { type CallbackReceiver, startCallbackReceiver } from '../../../support/callback-receiver.ts';
import { crmSettings } from '../../../support/crm-webhook.ts';
import { type LoopbackServer, startLoopbackServer } from '../../../support/loopback-server.ts';
import { type ServiceProcess, startProcess, stopProcesses } from '../../../support/processes.ts';
import { type Sandbox, startSandbox } from '../../../support/sandbox.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { createTestDatabase } from '../../../support/test-database.ts';
import { type SentSpan, startTraceCollector, type TraceCollector } from '../../../support/trace-collector.ts';

const secrets = {
  client: 'marked-client-secret-5a1f0c93d2e84b76',
  wrong: 'marked-wrong-secret-90c1',
  crm: 'markedcrmwebhook77',
  sms: 'marked-sms-password-31',
  ops: 'marked-ops-password-08',
  forged: 'marked.forged.token',
};
const person = { name: 'Zubaida Markedname', email: 'zubaida@marked.example', phone: '+971501239876' };
const callersTrace = '4bf92f3577b34da6a3ce929d0e0e4736';

let sandbox: Sandbox;
let crm: LoopbackServer;
let receiver: CallbackReceiver;
let collector: TraceCollector;
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let api: ServiceProcess;
let worker: ServiceProcess;
let base: string;
/** The worker's METRICS_PORT. */
let metricsPort: number;
/** Secrets that the service generated. */
const generated: string[] = [];
let jobId: string;
let requestId: string;

beforeAll(async () => {
  [sandbox, receiver, collector, database] = await Promise.all([
    startSandbox(),
    startCallbackReceiver(),
    startTraceCollector(),
    createTestDatabase('telemetry'),
  ]);
  crm = await startCrmBehindSecret(sandbox);
  const env = {
    NODE_ENV: 'development',
    LOG_LEVEL: 'trace',
    PORT: '0',
    DATA_DIR: temporaryFolder(),
    DATABASE_URL: database.url,
    SANDBOX_PORT: new URL(sandbox.url).port,
    ...crmSettings,
    CRM_URL: `${crm.origin}/rest/1/${secrets.crm}`,
    CRM_REQUESTS_PER_SECOND: '100',
    SMS_URL: `${sandbox.url}/telephony`,
    SMS_USERNAME: 'sandbox',
    SMS_PASSWORD: secrets.sms,
    BOOTSTRAP_CLIENT_ID: 'portal',
    BOOTSTRAP_CLIENT_SECRET: secrets.client,
    OPS_USER: 'ops',
    OPS_PASSWORD: secrets.ops,
    EGRESS_ALLOW: receiver.host,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_BSP_SCHEDULE_DELAY: '100',
  };
  api = startProcess('api/main.ts', { env });
  metricsPort = await freePort();
  worker = startProcess('workers/main.ts', { args: ['leads'], env: { ...env, METRICS_PORT: String(metricsPort) } });
  [base] = await Promise.all([api.ready.then(origin => `${origin}/v2`), worker.ready]);
  await sendRequests();
});
afterAll(async () => {
  await stopProcesses([api, worker]);
  await Promise.all([crm.close(), receiver.close(), collector.close(), sandbox.close()]);
  await database.drop();
});

/** The sandbox's CRM behind a secret URL, as the real one. */
async function startCrmBehindSecret({ url }: Sandbox): Promise<LoopbackServer> {
  return await startLoopbackServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(Buffer.from(chunk));
    const path = incoming.url?.replace(secrets.crm, 'sandbox') ?? '';
    const answer = await request(`${url}/crm${path}`, {
      method: 'POST',
      headers: { 'content-type': incoming.headers['content-type'] ?? 'application/json' },
      body: Buffer.concat(chunks),
    });
    const body = Buffer.from(await answer.body.arrayBuffer());
    response.writeHead(answer.statusCode, { 'content-type': String(answer.headers['content-type']) }).end(body);
  });
}

async function ask(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
  const answer = await fetch(base + path, {
    method,
    headers: {
      ...(generated[0] !== undefined && { authorization: `Bearer ${generated[0]}` }),
      ...(body && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, text, requestId: answer.headers.get('x-request-id') ?? '' };
}

const tokenWith = (secret: string) =>
  fetch(`${base}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`portal:${secret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });

/** Successful and failing requests of all kinds. */
async function sendRequests(): Promise<void> {
  expect((await tokenWith(secrets.wrong)).status).toBe(401);
  const Token = z.object({ access_token: z.string() });
  generated.push(Token.parse(await (await tokenWith(secrets.client)).json()).access_token);
  const callbackSecret = await ask('GET', '/jobs/callback-secret');
  generated.push(z.object({ secret: z.string() }).parse(JSON.parse(callbackSecret.text)).secret);

  await runJob();
  await createLeads();
  const sms = await ask('POST', '/apps/telephony/v1/sms/send', {
    to: person.phone,
    text: `Dear ${person.name}`,
  });
  expect(sms.status).toBe(502);
  const query = new URLSearchParams({ phone: person.phone });
  await ask('GET', `/apps/portal/v1/user-data?${query}`);
  const found = await ask('POST', '/apps/directory/v1/users/search', { text: person.email });
  expect(found.status).toBe(200);
  const forged = await ask('GET', '/jobs', undefined, { authorization: `Bearer ${secrets.forged}` });
  expect(forged.status).toBe(401);
  await fetch(`${base}/apps/crm/v1/leads`, {
    method: 'POST',
    headers: { authorization: `Bearer ${generated[0]}`, 'content-type': 'application/json' },
    body: `{"title": "${person.name}", "emails": ["${person.email}"`,
  });
}

/** A job with the caller's trace and a callback. */
async function runJob(): Promise<void> {
  const created = await ask('POST', '/apps/crm/v1/leads', { title: 'For the job' });
  const { id } = z.object({ id: z.int() }).parse(JSON.parse(created.text));
  const accepted = await ask(
    'POST',
    '/apps/portal/v1/leads/update',
    {
      id,
      fields: { comments: `Called ${person.name}`, phones: [person.phone], emails: [person.email] },
      callback: { url: receiver.url('/ended') },
    },
    { traceparent: `00-${callersTrace}-00f067aa0ba902b7-01`, baggage: `who=${person.email}` },
  );
  expect(accepted).toMatchObject({ status: 202 });
  jobId = z.object({ id: z.string() }).parse(JSON.parse(accepted.text)).id;
  requestId = accepted.requestId;
  await vi.waitFor(() => expect(receiver.received('/ended')).toHaveLength(1), { timeout: 120_000, interval: 100 });
  expect(JSON.parse(receiver.received('/ended')[0]?.body ?? '')).toMatchObject({ state: 'succeeded' });
}

/** With a working CRM, three faults, and a rejected secret. */
async function createLeads(): Promise<void> {
  const lead = { title: `Lead of ${person.name}`, firstName: person.name, emails: [person.email] };
  expect((await ask('POST', '/apps/crm/v1/leads', { ...lead, phones: [person.phone] })).status).toBe(201);
  for (const fault of ['error-500', 'html', 'malformed', 'unauthorized'] as const) {
    await sandbox.control.fault('crm', { fault, path: 'crm.item.add', times: 1 });
    // 201 when the fault came after the lead was created: the service finds it.
    expect((await ask('POST', '/apps/crm/v1/leads', lead)).status).toBeOneOf([201, 502]);
  }
}

const logged = (process: ServiceProcess) =>
  process
    .output()
    .split('\n')
    .filter(line => line.startsWith('{'))
    .map(line => z.looseObject({ msg: z.string().optional() }).parse(JSON.parse(line)));

describe('the log', () => {
  it('holds no secret and no personal data, also after failures', () => {
    const output = api.output() + worker.output();
    expect(output).toContain('"level":20');
    expect(logged(api).map(({ msg }) => msg)).toContain('request failed');
    const marks = [
      ...Object.values(secrets),
      ...generated,
      ...Object.values(person),
      'Zubaida',
      '501239876',
      '%40marked',
    ];
    expect(marks.filter(mark => output.includes(mark))).toEqual([]);
  });

  it('has the request id on each line of a request, also in a connector', () => {
    const lines = logged(api).filter(line => line.requestId === requestId);
    expect(lines.map(({ msg }) => msg)).toContain('answered');
    const outside = logged(api).filter(({ msg, system }) => msg === 'vendor call' && system === 'crm');
    expect(outside.length).toBeGreaterThan(3);
    expect(outside.filter(line => line.requestId === undefined)).toEqual([]);
  });

  it('has the job id and the id of the request that created it on each line of a job', () => {
    const lines = logged(worker).filter(line => line.jobId === jobId && line.msg !== 'callback tried');
    const messages = lines.map(({ msg }) => msg);
    expect(messages).toEqual(expect.arrayContaining(['job begun', 'vendor call', 'job succeeded']));
    expect(lines.filter(line => line.requestId !== requestId)).toEqual([]);
  });

  it('has each id once on a line', () => {
    const lines = (api.output() + worker.output()).split('\n');
    const doubled = lines.filter(line => /"(requestId|jobId)":.*"\1":/.test(line));
    expect(doubled).toEqual([]);
  });
});

describe('a trace', () => {
  it('connects the caller, the request, the queue and each outside call', async () => {
    const ofTrace = () => collector.spans().filter(({ traceId }) => traceId === callersTrace);
    await expect.poll(() => ofTrace().map(({ name }) => name)).toContain('portal.updateLeads');
    await expect.poll(() => ofTrace().map(({ name }) => name)).toContain('process leads');

    const outside = ofTrace().filter(({ name }) => name === 'crm POST');
    expect(outside.length).toBeGreaterThan(0);
    for (const call of outside)
      expect(pathTo(call, ofTrace())).toEqual([
        'portal.updateLeads (portal-api)',
        'add leads.leads (portal-api)',
        'process leads (portal-worker)',
        'job leads (portal-worker)',
        'crm POST (portal-worker)',
      ]);
    expect(ofTrace().find(({ name }) => name === 'job leads')?.attributes).toMatchObject({
      'portal.job.id': jobId,
      'portal.job.kind': 'leads',
      'portal.job.outcome': 'succeeded',
      'portal.client.id': 'portal',
      'portal.request.id': requestId,
    });
    expect(logged(worker).filter(({ msg }) => msg === 'job succeeded')).toMatchObject([{ traceId: callersTrace }]);
  });

  it('exports no secret, no URL and no personal data', () => {
    const sent = collector.bodies();
    const marks = [
      ...Object.values(secrets),
      ...generated,
      ...Object.values(person),
      'Zubaida',
      '%40marked',
      '127.0.0.1',
    ];
    expect(marks.filter(mark => sent.includes(mark))).toEqual([]);
  });

  it('excludes the housekeeping of the queues', () => {
    const names = new Set(collector.spans().map(({ name }) => name.split(' ')[0]));
    expect([...names].filter(name => /getNextJob|extendLocks|moveStalled|close/.test(name ?? ''))).toEqual([]);
  });
});

function pathTo(span: SentSpan, spans: readonly SentSpan[]): string[] {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
  return [...(parent ? pathTo(parent, spans) : []), `${span.name} (${span.service})`];
}

describe('a scrape', () => {
  const scrape = async () => {
    const login = Buffer.from(`ops:${secrets.ops}`).toString('base64');
    const answer = await fetch(`${base}/metrics`, { headers: { authorization: `Basic ${login}` } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toContain('text/plain');
    return await answer.text();
  };

  it('has the metrics of the API process and of the whole service', async () => {
    const text = await scrape();
    expect(text).toMatch(/^portal_jobs_accepted_total\{kind="leads",process="api"\} 1$/m);
    expect(text).toMatch(
      /^portal_http_requests_total\{operation="portal.updateLeads",status="202",process="api"\} 1$/m,
    );
    expect(text).toContain('portal_database_up 1');
    expect(text).toContain('portal_workers{kind="leads"} 1');
    expect(text).toContain('portal_workers{kind="pdf"} 0');
    expect(text).toContain('portal_jobs{kind="leads",state="queued"} 0');
    expect(text).toContain('portal_job_oldest_waiting_seconds{kind="leads"} 0');
    expect(text).not.toContain('process="worker"');
    expect(Object.values(person).filter(mark => text.includes(mark))).toEqual([]);
  });

  it('of a worker has the metrics of its process, without login', async () => {
    const read = async () => await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    const ended = /^portal_jobs_ended_total\{kind="leads",state="succeeded",process="worker"\} 1$/m;
    await expect.poll(read).toMatch(ended);
    const text = await read();
    expect(text).toMatch(
      /^portal_outside_call_duration_seconds_count\{process="worker",system="crm",method="POST",status="2xx"\}/m,
    );
    expect(text).toMatch(/^portal_job_wait_seconds_count\{process="worker",kind="leads"\} 1$/m);
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds\{process="worker"\}/m);
    expect(text).not.toContain('portal_database_up');
    expect(Object.values(person).filter(mark => text.includes(mark))).toEqual([]);
  });

  it('requires the operator login', async () => expect((await fetch(`${base}/metrics`)).status).toBe(401));
});
