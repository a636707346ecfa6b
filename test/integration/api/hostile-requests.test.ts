/** Malicious requests: every operation with a JSON body responds in time, without a 500. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ApiClient } from '../../support/api-client.ts';
import { useService } from '../../support/test-service.ts';

const service = useService('hostile-requests', () => ({ env: { REQUESTS_PER_MINUTE: '1000000' } }));
let client: ApiClient;
beforeAll(async () => {
  client = await service.client(service.scopes);
});

const Described = z.object({ requestBody: z.object({ content: z.record(z.string(), z.unknown()) }).optional() });
const Document = z.object({ paths: z.record(z.string(), z.record(z.string(), Described)) });

/** Every operation with a JSON body, with values for its path parameters. */
async function jsonOperations(): Promise<{ method: string; path: string }[]> {
  const document = Document.parse(await (await fetch(`${service.origin}/v2/openapi.json`)).json());
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { requestBody }]) => requestBody && 'application/json' in requestBody.content)
      .map(([method]) => ({ method: method.toUpperCase(), path: path.replaceAll(/\{\w+\}/g, '1') })),
  );
}

async function statusOf(method: string, path: string, body: string): Promise<number> {
  const answer = await fetch(service.origin + path, {
    method,
    headers: {
      authorization: `Bearer ${client.accessToken}`,
      'content-type': 'application/json',
      'idempotency-key': 'one',
    },
    body,
    signal: AbortSignal.timeout(40_000),
  });
  await answer.arrayBuffer();
  return answer.status;
}

describe('every operation with a JSON body', () => {
  it.each([
    ['arrays nested 100,000 levels deep', `{"list":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['objects nested 100,000 levels deep', `${'{"fields":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
    ['a NUL', String.raw`{"name":"a\u0000","utm":{"source":"a\u0000"},"fields":{"a":"\u0000"}}`],
    ['a lone surrogate', String.raw`{"name":"a\ud800","utm":{"source":"a\udfff"},"fields":{"a":"\udbff"}}`],
  ])('returns 422 for %s, also with an Idempotency-Key', async (_, body) => {
    const operations = await jsonOperations();
    expect(operations.length).toBeGreaterThan(25);
    await Promise.all(
      operations.map(async ({ method, path }) =>
        expect(await statusOf(method, path, body), `${method} ${path}`).toBe(422),
      ),
    );
  });

  it.each([
    ['a top-level __proto__', '{"__proto__":{"scopes":["ops"]},"list":[]}'],
    ['a nested __proto__', '{"list":[{"__proto__":{"polluted":true}}],"fields":{"__proto__":{"a":1}}}'],
    ['constructor.prototype', '{"constructor":{"prototype":{"polluted":true}}}'],
  ])('returns 400 for %s', async (_, body) => {
    for (const { method, path } of await jsonOperations())
      expect(await statusOf(method, path, body), `${method} ${path}`).toBe(400);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

describe('a megabyte of text in 20 listings', () => {
  it.each(['<p', '<li ', '<!--'])('of repeated %j delays no answer of /health by five seconds', async atom => {
    const list = Array.from({ length: 20 }, (_, index) => ({
      reference_number: `R-${index}`,
      title_en: 'A home',
      description_en: `k${atom.repeat(Math.floor(49_000 / atom.length))}`,
    }));
    const delays: number[] = [];
    let isAnswered = false;
    const checking = statusOf('POST', '/v2/apps/portal/v1/pdf-new', JSON.stringify({ list, validateOnly: true }));
    const done = checking.finally(() => {
      isAnswered = true;
    });
    while (!isAnswered) {
      const startedAt = performance.now();
      await (await fetch(`${service.origin}/v2/health`)).arrayBuffer();
      delays.push(performance.now() - startedAt);
    }
    expect(await done).toBe(200);
    expect(Math.max(...delays)).toBeLessThan(5_000);
  });
});

/** Sends raw lines. @returns everything received until the connection closes */
async function sendRaw(lines: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(service.origin);
  const socket = connect(Number(port), hostname);
  let answer = '';
  socket.on('data', chunk => {
    answer += chunk;
  });
  socket.write(lines.join('\r\n'));
  await once(socket, 'close');
  return answer;
}

describe('an ambiguous request (request smuggling)', () => {
  const head = ['POST /v2/oauth/token HTTP/1.1', 'Host: portal.example', 'Connection: close'];
  it.each([
    ['two Content-Length headers', [...head, 'Content-Length: 5', 'Content-Length: 6', '', 'a=b&c=']],
    [
      'Content-Length and Transfer-Encoding',
      [...head, 'Content-Length: 5', 'Transfer-Encoding: chunked', '', '0', '', 'GET /'],
    ],
    ['an unknown Transfer-Encoding', [...head, 'Transfer-Encoding: xchunked', '', '0', '', '']],
    ['a Content-Length that is not a number', [...head, 'Content-Length: +5', '', 'a=b&c']],
    ['a folded header', [...head, 'X-One: a', ' Content-Length: 5', 'Content-Length : 5', '', '']],
    ['a NUL in a header', ['GET /v2/health HTTP/1.1', 'Host: portal.example', 'Idempotency-Key: a\0b', '', '']],
    ['no Host header', ['GET /v2/health HTTP/1.1', '', '']],
  ])('with %s is rejected with a 4xx status', async (_, lines) => {
    expect(await sendRaw(lines)).toMatch(/^HTTP\/1\.1 4\d\d /);
  });

  it('cannot inject a line break into a response header', async () => {
    const answer = await sendRaw([
      'GET /v2/r/%0d%0aSet-Cookie:%20a=b HTTP/1.1',
      'Host: portal.example',
      'Connection: close',
      '',
      '',
    ]);
    expect(answer).toMatch(/^HTTP\/1\.1 404 /);
    expect(answer.split('\r\n\r\n')[0]).not.toMatch(/^set-cookie/im);
  });
});
