/** Calls to a vendor system: retries and errors. */
import type { RequestListener, ServerResponse } from 'node:http';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Call } from '../../../../../core/integrations/kit/call.ts';
import { createCallBudgets } from '../../../../../core/integrations/kit/call-budget.ts';
import { callsMade, withCallContext } from '../../../../../core/integrations/kit/call-context.ts';
import { openIntegrationContext } from '../../../../../core/integrations/kit/context.ts';
import type { SystemHttp, SystemHttpOptions } from '../../../../../core/integrations/kit/http.ts';
import { UpstreamError } from '../../../../../core/integrations/kit/upstream-error.ts';
import { type Database, openDatabase } from '../../../../../core/postgres/client.ts';
import { type LoopbackServer, startLoopbackServer } from '../../../../support/loopback-server.ts';
import { createTestDatabase } from '../../../../support/test-database.ts';
import type { TestDatabase } from '../../../../support/test-postgres.ts';

const logger = pino({ level: 'silent' });
const Lead = z.object({ id: z.int() });
const system = { name: 'crm', title: 'The CRM' };

let testDatabase: TestDatabase;
let database: Database;
let server: LoopbackServer;
/** The system's behaviour for each call in order; the last one applies to all further calls. */
let script: RequestListener[];

beforeAll(async () => {
  testDatabase = await createTestDatabase('system http');
  database = openDatabase({ url: testDatabase.url, poolSize: 4, logger, applicationName: 'test' });
  server = await startLoopbackServer((request, response) => {
    const [step] = script.length > 1 ? script.splice(0, 1) : script;
    step?.(request, response);
  });
});
afterAll(async () => {
  await server.close();
  await database.close();
  await testDatabase.drop();
});
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

const openContext = () =>
  openIntegrationContext({ env: {}, sandboxUrl: undefined, budgets: createCallBudgets(database), logger });

function openHttp(options: Partial<SystemHttpOptions> = {}): SystemHttp {
  return openContext()
    .tools(system, 'configured')
    .http({ baseUrl: server.origin, ...options });
}

const read = { class: 'read', method: 'GET', path: '/leads/7', answer: Lead } satisfies Call;
const create = {
  class: 'create',
  method: 'POST',
  path: '/leads',
  json: { name: 'x' },
  answer: Lead,
} satisfies Call;

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
    ['500', answer(500, {})],
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
    expect(error).toMatchObject({
      status: 502,
      transient: false,
      failure: { status: 400, maybeExecuted: false },
    });
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
    expect(error.failure.maybeExecuted).toBe(true);
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
