/** Calls to a vendor system: retries and errors. */
import type { RequestListener, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { Call } from '../../../../../core/integrations/kit/call.ts';
import { callsMade, withCallContext } from '../../../../../core/integrations/kit/call-context.ts';
import { openIntegrationContext } from '../../../../../core/integrations/kit/context.ts';
import type { SystemHttp, SystemHttpOptions } from '../../../../../core/integrations/kit/http.ts';
import { outageOf, UpstreamError } from '../../../../../core/integrations/kit/upstream-error.ts';
import { outsideCallSeconds } from '../../../../../core/telemetry/meter.ts';
import { gate } from '../../../../support/gate.ts';
import { logLines } from '../../../../support/log-lines.ts';
import { type LoopbackServer, startLoopbackServer } from '../../../../support/loopback-server.ts';
import { recordedBudgets, unlimited } from '../../../../support/vendor.ts';

const logger = pino({ level: 'silent' });
const Lead = z.object({ id: z.int() });
const system = { name: 'crm', title: 'The CRM' };

let server: LoopbackServer;
/** The system's behaviour for each call in order; the last one applies to all further calls. */
let script: RequestListener[];

beforeAll(async () => {
  server = await startLoopbackServer((request, response) => {
    const [step] = script.length > 1 ? script.splice(0, 1) : script;
    step?.(request, response);
  });
});
afterAll(() => server.close());
beforeEach(() => {
  server.requests.length = 0;
});

const answer =
  (status: number, body: unknown, headers: Record<string, string> = {}): RequestListener =>
  (_, response: ServerResponse) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
const breakOff: RequestListener = request => request.socket.destroy();
const page = answer(403, '<!DOCTYPE html><h1>Request blocked</h1>', { 'content-type': 'text/html' });
const found = answer(200, { id: 7 });

const openContext = () => openIntegrationContext({ env: {}, sandboxUrl: undefined, budgets: unlimited, logger });

function openHttp(options: Partial<SystemHttpOptions> = {}): SystemHttp {
  return openContext()
    .tools(system, 'configured')
    .http({ baseUrl: server.origin, ...options });
}

const read = { class: 'read', method: 'GET', path: '/leads/7', answer: Lead } satisfies Call;
const create = { class: 'create', method: 'POST', path: '/leads', json: { name: 'x' }, answer: Lead } satisfies Call;

const background = <T>(work: () => Promise<T>) => withCallContext({ priority: 'background' }, work);

async function failureOf(work: Promise<unknown>): Promise<UpstreamError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof UpstreamError) return error;
  throw new Error(`not an UpstreamError: ${error}`);
}

describe('a call that reads', () => {
  it.each([
    ['500', answer(500, {}, { 'retry-after': '0' })],
    ['503', answer(503, {})],
    ['429', answer(429, {}, { 'retry-after': '0' })],
    ['a connection broken off', breakOff],
    ['a page instead of data', page],
    ['half a JSON document', answer(200, '{"id":')],
  ])('is retried after %s', async (_, fault) => {
    script = [fault, fault, found];
    expect(await background(() => openHttp().call(read))).toEqual({ id: 7 });
    expect(server.requests).toHaveLength(3);
  });

  it('fails after a few attempts, fewer for an interactive caller', async () => {
    script = [answer(503, {})];
    const error = await withCallContext({ priority: 'interactive' }, () => failureOf(openHttp().call(read)));
    expect(error).toMatchObject({ status: 502, message: 'The CRM failed.' });
    expect(server.requests).toHaveLength(3);
  });

  it('is not retried when it was rejected', async () => {
    script = [answer(400, { error: 'ERROR_CORE' })];
    const error = await failureOf(openHttp().call(read));
    expect(error).toMatchObject({ status: 502, transient: false, failure: { kind: 'rejected', status: 400 } });
    expect(server.requests).toHaveLength(1);
  });

  it('fails with 504 after the timeout', async () => {
    script = [() => undefined];
    const error = await withCallContext({ priority: 'interactive' }, () =>
      failureOf(openHttp({ timeoutMs: 30 }).call(read)),
    );
    expect(error).toMatchObject({ status: 504, code: 'upstream-timeout' });
  });

  it('fails with 502 and without values of the answer when the answer does not match its schema', async () => {
    script = [answer(200, { id: 'Sara Haddad' })];
    const error = await failureOf(openHttp().call(read));
    expect(error).toMatchObject({ status: 502, transient: false });
    expect(`${error.message} ${error.cause}`).not.toContain('Sara');
  });

  it('ends at once when its call context is cancelled', async () => {
    script = [() => stop.abort(new Error('cancelled'))];
    const stop = new AbortController();
    const call = withCallContext({ priority: 'background', signal: stop.signal }, () => openHttp().call(read));
    await expect(call).rejects.toThrow('cancelled');
  });
});

describe('a call that creates', () => {
  it.each([
    ['a connection broken off', breakOff],
    ['500', answer(500, {})],
    ['half an answer', answer(200, '{"id"')],
  ])('is sent once when %s leaves its outcome unknown', async (_, fault) => {
    script = [fault, found];
    const error = await background(() => failureOf(openHttp().call(create)));
    expect(error.maybeExecuted).toBe(true);
    expect(server.requests).toEqual(['POST /leads']);
  });

  it('is retried when the system reports an exceeded limit, and so did not execute it', async () => {
    script = [answer(429, {}, { 'retry-after': '0' }), found];
    expect(await background(() => openHttp().call(create))).toEqual({ id: 7 });
    expect(server.requests).toHaveLength(2);
  });

  it('is retried when the vendor’s error states that nothing was executed', async () => {
    script = [answer(503, { error: 'QUERY_LIMIT_EXCEEDED' }), found];
    const http = openHttp({
      readFault: ({ status }) => (status === 503 ? { verdict: 'limit', retryAfterMs: 1 } : undefined),
    });
    expect(await background(() => http.call(create))).toEqual({ id: 7 });
  });
});

describe('credentials', () => {
  it('are renewed, and the call sent once more, when they are rejected', async () => {
    let token = 'old';
    script = [answer(401, {}), found];
    const http = openHttp({
      headers: () => ({ authorization: token }),
      onUnauthorized: () => {
        token = 'new';
      },
    });
    expect(await http.call(read)).toEqual({ id: 7 });
    expect(token).toBe('new');
  });

  it('that stay rejected are an error 502, not an error of the caller', async () => {
    script = [answer(401, {})];
    const error = await failureOf(openHttp({ onUnauthorized: () => undefined }).call(read));
    expect(error).toMatchObject({ status: 502, message: 'The CRM rejects our credentials.' });
    expect(server.requests).toHaveLength(2);
  });
});

describe('a system that keeps failing', () => {
  it('opens the circuit: further calls fail at once with 503 and a retry time', async () => {
    script = [answer(500, {})];
    const context = openContext();
    const http = context.tools(system, 'configured').http({ baseUrl: server.origin });
    await withCallContext({ priority: 'interactive' }, async () => {
      await failureOf(http.call(read));
      await failureOf(http.call(read));
      const sent = server.requests.length;
      const error = await failureOf(http.call(read));
      expect(error).toMatchObject({ status: 503, code: 'upstream-unavailable', retryAfterSeconds: 5 });
      expect(server.requests).toHaveLength(sent);
    });
    expect(context.circuitOf('crm')).toBe('open');
  });

  it('does not open the circuit by rejections', async () => {
    script = [answer(400, {})];
    const context = openContext();
    const http = context.tools(system, 'configured').http({ baseUrl: server.origin });
    for (let call = 0; call < 10; call += 1) await failureOf(http.call(read));
    expect(context.circuitOf('crm')).toBe('closed');
  });
});

it('a call context counts its calls with retries, and contains the systems that the sandbox answered for', async () => {
  script = [answer(500, {}), found];
  const http = openContext().tools(system, 'sandbox').http({ baseUrl: server.origin });
  await withCallContext({ priority: 'background' }, async ({ sandboxes }) => {
    await http.call(read);
    expect(callsMade()).toBe(2);
    expect([...sandboxes]).toEqual(['crm']);
  });
});

it('query parameters are encoded, lists repeated and undefined values left out', async () => {
  script = [found];
  await openHttp().call({ ...read, query: { q: 'a&b', type: ['CITY', 'TOWER'], page: 2, none: undefined } });
  expect(server.requests).toEqual(['GET /leads/7?q=a%26b&type=CITY&type=TOWER&page=2']);
});

it('every request has a User-Agent with the product and its version', async () => {
  let userAgent: string | undefined;
  script = [
    (request, response) => {
      userAgent = request.headers['user-agent'];
      found(request, response);
    },
  ];
  await openHttp().call(read);
  expect(userAgent).toMatch(/^PortalService\/\d+\.\d+\.\d+$/);
});

describe('a request', () => {
  /** Answers with what it received. */
  const echo: RequestListener = async (request, response) => {
    const body = await text(request);
    const { accept, authorization, 'content-type': type, 'x-own': own } = request.headers;
    answer(
      200,
      { id: 7, method: request.method, accept, authorization, type, own, body },
      { 'x-page': '2' },
    )(request, response);
  };
  const Echo = z.record(z.string(), z.unknown());
  beforeEach(() => {
    script = [echo];
  });

  it('accepts JSON, and has the headers of the system and of the call', async () => {
    const http = openHttp({ headers: async () => ({ authorization: 'key', 'x-own': 'system' }) });
    const sent = await http.call({ ...read, headers: { 'x-own': 'call' }, answer: Echo });
    expect(sent).toEqual({
      id: 7,
      method: 'GET',
      accept: 'application/json',
      authorization: 'key',
      own: 'call',
      body: '',
    });
  });

  it('contains JSON with its type, or a body as it is', async () => {
    expect(await openHttp().call({ ...create, answer: Echo })).toMatchObject({
      type: 'application/json',
      body: '{"name":"x"}',
    });
    const headers = { 'content-type': 'text/csv' };
    const { json: _, ...upload } = { ...create, headers, body: 'a,b', answer: Echo };
    expect(await openHttp().call(upload)).toMatchObject({ type: 'text/csv', body: 'a,b' });
  });

  it('of `get` reads a path with its query', async () => {
    expect(await openHttp().get('/leads/7', Lead, { page: 2 })).toEqual({ id: 7 });
    expect(server.requests).toEqual(['GET /leads/7?page=2']);
  });

  it('of `callWhole` returns the answer with its headers', async () => {
    const { body, answer: whole } = await openHttp().callWhole(read);
    expect([body, whole.status, whole.headers['x-page']]).toEqual([{ id: 7 }, 200, '2']);
  });

  it('is logged with its status and duration', async () => {
    const { logger: log, lines } = logLines('debug');
    const context = openIntegrationContext({ env: {}, sandboxUrl: undefined, budgets: unlimited, logger: log });
    const begun = performance.now();
    await context.tools(system, 'configured').http({ baseUrl: server.origin }).call(read);
    const longest = performance.now() - begun + 1;
    const line = { level: 20, system: 'crm', method: 'GET', path: '/leads/7', status: 200, msg: 'vendor call' };
    expect(lines()).toEqual([{ ...line, ms: expect.toSatisfy(ms => ms >= 0 && ms <= longest) }]);
  });

  it('is measured by system, method and kind of status', async () => {
    const measured = { name: 'measured', title: 'The measured system' };
    await openContext().tools(measured, 'configured').http({ baseUrl: server.origin }).call(read);
    const { values } = await outsideCallSeconds.get();
    expect(values.map(({ labels }) => labels)).toContainEqual(
      expect.objectContaining({ system: 'measured', method: 'GET', status: '2xx' }),
    );
  });

  it('stops its time limit with the answer', async () => {
    const [started, stopped] = [vi.spyOn(globalThis, 'setTimeout'), vi.spyOn(globalThis, 'clearTimeout')];
    await openHttp().call({ ...read, timeoutMs: 54_321 });
    const at = started.mock.calls.findIndex(([, ms]) => ms === 54_321);
    expect(stopped).toHaveBeenCalledWith(started.mock.results[at]?.value);
    for (const spy of [started, stopped]) spy.mockRestore();
  });

  it('waits while 32 others of the system are answered', async () => {
    const all = gate();
    script = [(request, response) => void all.opened.then(() => found(request, response))];
    const http = openHttp();
    const calls = Promise.all(Array.from({ length: 40 }, () => http.call(read)));
    await expect.poll(() => server.requests).toHaveLength(32);
    await setImmediate();
    expect(server.requests).toHaveLength(32);
    all.open();
    expect(await calls).toHaveLength(40);
  });

  it('of a read is cancelled with its context', async () => {
    const [arrived, closed] = [gate(), gate()];
    script = [
      (_, response) => {
        response.on('close', closed.open);
        arrived.open();
      },
    ];
    const stop = new AbortController();
    const call = withCallContext({ priority: 'background', signal: stop.signal }, () => openHttp().call(read));
    await arrived.opened;
    stop.abort(new Error('stopped'));
    await expect(call).rejects.toThrow('stopped');
    await closed.opened;
  });

  it('of the vendor names no sandbox', () =>
    withCallContext({ priority: 'background' }, async ({ sandboxes }) => {
      await openHttp().call(read);
      expect(sandboxes.size).toBe(0);
    }));
});

describe('a request that fails', () => {
  const once = <T>(work: () => Promise<T>) => withCallContext({ priority: 'interactive', retries: false }, work);

  it('after its time limit may have been executed', async () => {
    script = [() => undefined];
    for (const [options, call] of [
      [{ timeoutMs: 30 }, read],
      [{ timeoutMs: 60_000 }, { ...read, timeoutMs: 30 }],
    ] as const)
      expect(await once(() => failureOf(openHttp(options).call(call)))).toMatchObject({
        code: 'upstream-timeout',
        message: 'The CRM did not answer within 0.03 s.',
        failure: { kind: 'no-answer', system: 'crm' },
      });
  });

  it('because the system cannot be reached was not executed', async () => {
    const http = openHttp({ baseUrl: 'http://127.0.0.1:1' });
    expect(await once(() => failureOf(http.call(create)))).toMatchObject({
      code: 'upstream-failed',
      message: 'The CRM cannot be reached.',
      failure: { kind: 'unreachable', system: 'crm', code: 'ECONNREFUSED' },
    });
  });

  it('because the connection broke off may have been executed', async () => {
    script = [breakOff];
    expect(await once(() => failureOf(openHttp().call(read)))).toMatchObject({
      message: 'The CRM broke off the connection.',
      failure: { kind: 'no-answer', system: 'crm', code: 'UND_ERR_SOCKET' },
    });
  });

  it.each([
    [{ maxBytes: 7 }, answer(200, { id: 7 })],
    [{}, answer(200, 'x', { 'content-length': '32000001' })],
  ])('because its answer is too large is not retried: %j', async (options, large) => {
    script = [large];
    expect(
      await withCallContext({ priority: 'interactive' }, () => failureOf(openHttp(options).call(read))),
    ).toMatchObject({
      code: 'upstream-failed',
      message: 'The CRM returned an answer that cannot be read.',
      failure: { kind: 'unclear', system: 'crm' },
    });
    expect(server.requests).toHaveLength(1);
  });

  it('because its credentials could not be fetched was not sent', async () => {
    const cause = await once(() => failureOf(openHttp({ baseUrl: 'http://127.0.0.1:1', timeoutMs: 1_000 }).call(read)));
    const http = openHttp({ headers: () => Promise.reject(cause) });
    expect(await once(() => failureOf(http.call(create)))).toMatchObject({ maybeExecuted: false, cause });
    expect(server.requests).toEqual([]);
  });

  it('of an exceeded limit stops all calls, for a second or as long as the vendor asks', async () => {
    const { budgets, blocked } = recordedBudgets();
    const context = openIntegrationContext({ env: {}, sandboxUrl: undefined, budgets, logger });
    const budget = { name: 'crm', capacity: 1, perSecond: 1, reserve: 0 };
    const http = context.tools(system, 'configured').http({ baseUrl: server.origin, budget });
    script = [answer(429, {}), answer(429, {}, { 'retry-after': '7' }), answer(500, {}, { 'retry-after': '9' })];
    for (let call = 0; call < 3; call += 1) await once(() => failureOf(http.call(read)));
    expect(blocked).toEqual([
      { name: 'crm', ms: 1_000 },
      { name: 'crm', ms: 7_000 },
    ]);
  });

  it('names the sandbox when the sandbox answered', async () => {
    const http = openContext().tools(system, 'sandbox', 'telephony').http({ baseUrl: server.origin });
    await withCallContext({ priority: 'interactive', retries: false }, async ({ sandboxes }) => {
      script = [breakOff];
      await failureOf(http.call(read));
      expect([...sandboxes]).toEqual([]);
      script = [answer(400, {})];
      await failureOf(http.call(read));
      expect([...sandboxes]).toEqual(['telephony']);
    });
  });

  it('is not repeated with the same credentials', async () => {
    script = [answer(401, {})];
    await once(() => failureOf(openHttp().call(read)));
    script = [answer(400, {})];
    await once(() => failureOf(openHttp({ onUnauthorized: () => expect.unreachable() }).call(read)));
    expect(server.requests).toHaveLength(2);
  });
});

describe('a run that has lost its job', () => {
  it('sends nothing any more', async () => {
    script = [found];
    const fence = () => Promise.reject(new Error('another run has the job'));
    const call = withCallContext({ priority: 'background', fence }, () => openHttp().call(read));
    await expect(call).rejects.toThrow('another run has the job');
    expect(server.requests).toEqual([]);
  });

  it('sends nothing after it was stopped, and counts nothing', async () => {
    script = [found];
    const signal = AbortSignal.abort(new Error('stopped'));
    await withCallContext({ priority: 'background', signal }, async () => {
      await expect(openHttp().call(read)).rejects.toThrow('stopped');
      expect(callsMade()).toBe(0);
    });
    expect(server.requests).toEqual([]);
  });

  it('completes a create that was sent', async () => {
    const stop = new AbortController();
    script = [
      (request, response) => {
        stop.abort(new Error('stopped'));
        setTimeout(() => found(request, response), 20);
      },
    ];
    const call = withCallContext({ priority: 'background', signal: stop.signal }, () => openHttp().call(create));
    expect(await call).toEqual({ id: 7 });
  });
});

describe('a redirect', () => {
  const named = { ...system, setting: 'CRM_URL' };
  const http = () => openContext().tools(named, 'configured').http({ baseUrl: server.origin });

  it.each([
    [
      'https://renamed.example/rest/1/secret/leads',
      'The CRM redirects calls to the host renamed.example: if that is its new address, change CRM_URL.',
    ],
    ['/login?back=%2F', 'The CRM redirects calls to another page, such as a login page: check the address in CRM_URL.'],
    ['http://[', 'The CRM redirects calls to another page, such as a login page: check the address in CRM_URL.'],
  ])('to %s is an error of the configuration, sent once and no outage', async (location, message) => {
    script = [answer(302, '<!DOCTYPE html>', { location, 'content-type': 'text/html' })];
    const failed = withCallContext({ priority: 'background' }, () => http().call(create));
    await expect(failed).rejects.toMatchObject({
      code: 'system-not-configured',
      message,
      transient: false,
      failure: { kind: 'rejected', code: 'redirect' },
    });
    await expect(failed).rejects.not.toMatchObject({ isDown: true });
    expect(server.requests).toHaveLength(1);
  });
});

describe('a call that fails each time', () => {
  const failing = { ...read, query: { page: 7 } };
  const scripted = () => {
    script = [
      (request, response) =>
        (request.url?.includes('page=7') ? answer(500, { message: 'broken' }) : found)(request, response),
    ];
  };
  const once = (http: SystemHttp, call: Call) =>
    withCallContext({ priority: 'background', retries: false }, () => http.call(call));

  it('is no outage once it has failed three times and other calls succeeded, and is named', async () => {
    scripted();
    const http = openHttp();
    for (let failures = 1; failures <= 2; failures += 1) {
      const outage = await once(http, failing).catch((error: unknown) => error);
      expect(outageOf(outage)).toBeDefined();
      expect(await once(http, read)).toEqual({ id: 7 });
    }
    const last = await once(http, failing).catch((error: unknown) => error);
    expect(outageOf(last)).toBeUndefined();
    expect(last).toMatchObject({
      transient: true,
      failure: { kind: 'repeated', status: 500 },
      message:
        'The CRM fails each time for GET /leads/7, page 7, while it answers other calls; ask its support about this record. The CRM failed: broken.',
    });
  });

  it('is an outage while no other call succeeds', async () => {
    script = [answer(500, {})];
    const http = openHttp();
    for (let failures = 1; failures <= 4; failures += 1)
      expect(outageOf(await once(http, failing).catch((error: unknown) => error))).toBeDefined();
  });

  it('opens no circuit once it is known', async () => {
    scripted();
    const context = openContext();
    const http = context.tools(system, 'configured').http({ baseUrl: server.origin });
    for (let failures = 1; failures <= 12; failures += 1) {
      await once(http, failing).catch(() => undefined);
      if (failures <= 2) await once(http, read);
    }
    expect(context.circuitOf('crm')).toBe('closed');
  });
});

it('a byte order mark before the answer is ignored', async () => {
  script = [answer(200, '\uFEFF{"id":7}')];
  expect(await openHttp().call(read)).toEqual({ id: 7 });
});
