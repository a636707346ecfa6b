import { createServer as createTcpServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { parseAllowRule } from '../../../../core/egress/allow-rules.ts';
import { EgressError } from '../../../../core/egress/egress-error.ts';
import { createGuardedFetch, type GuardedFetch, type GuardedRequest } from '../../../../core/egress/guarded-fetch.ts';
import { userAgent } from '../../../../core/runtime/version.ts';
import { type LoopbackServer, startLoopbackServer } from '../../../support/loopback-server.ts';

const bounds = { maxBytes: 100_000, timeoutMs: 5_000 } satisfies GuardedRequest;

/** The server is allowed; the canary is an internal service that must not receive a request. */
let server: LoopbackServer;
let canary: LoopbackServer;
let guarded: GuardedFetch;

beforeAll(async () => {
  canary = await startLoopbackServer((_request, response) => response.end('secret'));
  server = await startLoopbackServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://server');
    const to = url.searchParams.get('to');
    switch (url.pathname) {
      case '/redirect':
        response.writeHead(Number(url.searchParams.get('status') ?? 302), { location: to ?? '' }).end('moved');
        break;
      case '/round-and-round':
        response.writeHead(302, { location: '/round-and-round' }).end();
        break;
      case '/headers':
        response.end(JSON.stringify(request.headers));
        break;
      case '/echo':
        void text(request).then(body => response.end(body));
        break;
      case '/status':
        response.writeHead(Number(to)).end('an error page');
        break;
      case '/endless':
        sendForever(() => response.write(Buffer.alloc(16_384)) || new Promise(go => response.once('drain', go)));
        break;
      case '/drip':
        response.writeHead(200);
        sendForever(() => new Promise(go => response.write('.', go)));
        break;
      case '/silent':
        break;
      case '/says-too-much':
        response.writeHead(200, { 'content-length': 1_000_000_000 });
        response.write('x');
        break;
      case '/says-more-than-it-has':
        response.writeHead(200, { 'content-length': 1_000 });
        response.write('only this', () => response.destroy());
        break;
      case '/compressed':
        sendCompressed(to ?? '', response);
        break;
      default:
        response.writeHead(200, { 'set-cookie': 'a=b' }).end('fine');
    }

    /** Sends until the client closes the connection. */
    async function sendForever(send: () => unknown) {
      while (!response.destroyed) await Promise.all([send(), new Promise(setImmediate)]);
    }
  });
  guarded = allowing(`127.0.0.1:${server.port}`);
});
beforeEach(() => {
  canary.requests.length = 0;
  server.requests.length = 0;
});
afterAll(async () => {
  await guarded.close();
  await Promise.all([server.close(), canary.close()]);
});

function allowing(entries: string, resolve?: (hostname: string) => Promise<string[]>): GuardedFetch {
  const allow = entries.split(',').flatMap(entry => parseAllowRule(entry) ?? []);
  return createGuardedFetch({ allow, ...(resolve && { resolve }) });
}

function sendCompressed(encoding: string, response: Parameters<Parameters<typeof startLoopbackServer>[0]>[1]) {
  const bomb = Buffer.alloc(50_000_000);
  const bodies: Record<string, () => Buffer> = {
    gzip: () => gzipSync('plain'),
    deflate: () => deflateSync('plain'),
    br: () => brotliCompressSync('plain'),
    'gzip-bomb': () => gzipSync(bomb),
    broken: () => Buffer.from('this is not gzip'),
    zstd: () => Buffer.from('whatever'),
  };
  const header = encoding === 'gzip-bomb' || encoding === 'broken' ? 'gzip' : encoding;
  response.writeHead(200, { 'content-encoding': header }).end(bodies[encoding]?.());
}

const fetched = (path: string, request: Partial<GuardedRequest> = {}) =>
  guarded.fetch(`${server.origin}${path}`, { ...bounds, ...request });

describe('an allowed address', () => {
  it('is fetched', async () => {
    const answer = await fetched('/1.jpg?size=2#fragment');
    expect(answer).toMatchObject({ status: 200, url: `${server.origin}/1.jpg?size=2` });
    expect(answer.bytes.toString()).toBe('fine');
    expect(server.requests).toEqual(['GET /1.jpg?size=2']);
  });

  it('receives a request for uncompressed bytes, without cookies even after it set one', async () => {
    await fetched('/');
    const headers = JSON.parse((await fetched('/headers')).bytes.toString());
    expect(headers).toMatchObject({ 'accept-encoding': 'identity', 'user-agent': userAgent });
    expect(headers).not.toHaveProperty('cookie');
  });

  it('receives a POST with its body', async () => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetched('/echo', { method: 'POST', body: '{"a":1}', headers });
    expect(answer.bytes.toString()).toBe('{"a":1}');
    expect(server.requests).toEqual(['POST /echo']);
  });

  it.each([200, 204, 299])('that answers %i is a success', status =>
    expect(fetched(`/status?to=${status}`)).resolves.toMatchObject({ status }),
  );

  it.each([
    [300, false],
    [404, false],
    [403, false],
    [408, true],
    [429, true],
    [500, true],
    [503, true],
  ])('that answers %i is an error with the status; transient: %s', (status, transient) =>
    expect(fetched(`/status?to=${status}`)).rejects.toMatchObject({
      reason: 'status',
      status,
      transient,
      message: `the server answered ${status}`,
    }),
  );
});

describe('an address that is not allowed', () => {
  it('receives no request, by literal address, name or IPv6 form', async () => {
    const port = canary.port;
    for (const host of ['127.0.0.1', '127.1', '0x7f000001', 'localhost', '[::ffff:127.0.0.1]', '[::1]']) {
      await expect(guarded.fetch(`http://${host}:${port}/`, bounds)).rejects.toMatchObject({ reason: 'port' });
    }
    const portOnly = allowing(`10.0.0.0/8:${port}`);
    for (const host of ['127.0.0.1', '127.1', '0x7f000001', 'localhost', '[::ffff:127.0.0.1]', '[::1]']) {
      await expect(portOnly.fetch(`http://${host}:${port}/`, bounds)).rejects.toMatchObject({ reason: 'address' });
    }
    await portOnly.close();
    expect(canary.requests).toEqual([]);
  });

  it('receives no request through a redirect from an allowed one', async () => {
    const both = allowing(`127.0.0.1:${server.port},10.0.0.0/8:${canary.port}`);
    const inside = encodeURIComponent(`${canary.origin}/secret`);
    const chain = encodeURIComponent(`/redirect?to=${inside}`);
    for (const path of [`/redirect?to=${inside}`, `/redirect?status=307&to=${inside}`, `/redirect?to=${chain}`]) {
      await expect(both.fetch(`${server.origin}${path}`, bounds)).rejects.toMatchObject({ reason: 'address' });
    }
    await both.close();
    expect(canary.requests).toEqual([]);
  });

  it('receives no request through a name that resolves to an allowed address first and to this one later', async () => {
    const answers = [['10.9.9.9'], ['127.0.0.1']];
    const rebinding = allowing(`127.0.0.2:${canary.port}`, async () => answers.pop() ?? []);
    await expect(rebinding.fetch(`http://rebound.example:${canary.port}/`, bounds)).rejects.toMatchObject({
      reason: 'address',
    });
    await rebinding.close();
    expect(canary.requests).toEqual([]);
  });
});

describe('a host name', () => {
  it('is looked up once, and connected to at the checked address', async () => {
    let lookups = 0;
    const rebinding = allowing(`127.0.0.1:${server.port}`, async () => {
      lookups += 1;
      return lookups === 1 ? ['127.0.0.1'] : ['127.0.0.2'];
    });
    const answer = await rebinding.fetch(`http://rebound.example:${server.port}/headers`, bounds);
    expect(JSON.parse(answer.bytes.toString())).toMatchObject({ host: `rebound.example:${server.port}` });
    expect(lookups).toBe(1);
    await rebinding.close();
  });

  it('with an exception is reached at a private address', async () => {
    const named = allowing(`photos.internal:${server.port}`, async () => ['127.0.0.1']);
    await expect(named.fetch(`http://photos.internal:${server.port}/`, bounds)).resolves.toMatchObject({ status: 200 });
    await named.close();
  });

  it('is looked up by the system when no resolver is given', async () => {
    const system = allowing(`localhost:${server.port}`);
    await expect(system.fetch(`http://localhost:${server.port}/`, bounds)).resolves.toMatchObject({ status: 200 });
    await system.close();
  });

  it.each<[string, () => Promise<string[]>]>([
    ['no address', async () => []],
    ['an error of the resolver', () => Promise.reject(new Error('ENOTFOUND'))],
  ])('with %s is unreachable', async (_, resolve) => {
    const unknown = allowing('', resolve);
    await expect(unknown.fetch('http://unknown.example/', bounds)).rejects.toMatchObject({
      reason: 'unreachable',
      message: 'its server’s name is not known',
    });
    await unknown.close();
  });

  it('with one forbidden address is rejected', async () => {
    const mixed = allowing(`127.0.0.1:${server.port}`, async () => ['127.0.0.1', '10.0.0.1']);
    await expect(mixed.fetch(`http://mixed.example:${server.port}/`, bounds)).rejects.toMatchObject({
      reason: 'address',
      cause: { message: expect.stringMatching(/ is at 10\.0\.0\.1, which is not public/) },
    });
    await mixed.close();
    expect(server.requests).toEqual([]);
  });
});

describe('redirects', () => {
  it.each([301, 302, 303, 307, 308])('%i is followed', status =>
    expect(fetched(`/redirect?status=${status}&to=/end`)).resolves.toMatchObject({
      url: `${server.origin}/end`,
    }),
  );

  it('are followed at most three times', async () => {
    await expect(fetched('/round-and-round')).rejects.toMatchObject({
      reason: 'redirects',
      transient: false,
      message: 'the server redirects too often',
    });
    expect(server.requests).toHaveLength(4);
  });

  it('are not followed when maxRedirects is 0, or for a POST', async () => {
    const rejected = { reason: 'redirects', message: 'the server redirects, which is not followed' };
    await expect(fetched('/redirect?to=/end', { maxRedirects: 0 })).rejects.toMatchObject(rejected);
    await expect(fetched('/redirect?to=/end', { method: 'POST', body: 'x' })).rejects.toMatchObject(rejected);
    expect(server.requests).toEqual(['GET /redirect?to=/end', 'POST /redirect?to=/end']);
  });

  it('to the same origin send the caller’s headers', async () => {
    const given = { authorization: 'Bearer secret', accept: 'image/*' };
    const answer = await fetched('/redirect?to=/headers', { headers: given });
    expect(JSON.parse(answer.bytes.toString())).toMatchObject(given);
  });

  it('to another origin do not send the caller’s headers', async () => {
    const other = await startLoopbackServer((request, response) => response.end(JSON.stringify(request.headers)));
    const both = allowing(`127.0.0.1:${server.port},127.0.0.1:${other.port}`);
    const received = async (headers: Record<string, string>) => {
      const url = `${server.origin}/redirect?to=${encodeURIComponent(other.origin)}`;
      return JSON.parse((await both.fetch(url, { ...bounds, headers })).bytes.toString());
    };
    const headers = await received({ authorization: 'Bearer secret', accept: 'image/*' });
    expect(headers).toMatchObject({ accept: 'image/*', 'accept-encoding': 'identity' });
    expect(headers).not.toHaveProperty('authorization');
    expect(await received({ authorization: 'Bearer secret' })).toMatchObject({ accept: '*/*' });
    await both.close();
    await other.close();
  });
});

describe('limits', () => {
  it('an endless body is aborted', () =>
    expect(fetched('/endless')).rejects.toMatchObject({
      reason: 'too-large',
      message: 'the file is larger than 100 kB',
    }));

  it('a body with too large a content-length is not read', () =>
    expect(fetched('/says-too-much')).rejects.toMatchObject({ reason: 'too-large' }));

  it('a body shorter than its content-length is an error', () =>
    expect(fetched('/says-more-than-it-has')).rejects.toMatchObject({ reason: 'unreachable', transient: true }));

  it.each(['gzip', 'deflate', 'br'])('a body compressed as %s without request is read', async encoding =>
    expect((await fetched(`/compressed?to=${encoding}`)).bytes.toString()).toBe('plain'),
  );

  it('a compressed body is limited by its decompressed size', () =>
    expect(fetched('/compressed?to=gzip-bomb')).rejects.toMatchObject({ reason: 'too-large' }));

  it('a body with an unknown or broken compression is an error', async () => {
    await expect(fetched('/compressed?to=zstd')).rejects.toMatchObject({ reason: 'encoding' });
    await expect(fetched('/compressed?to=broken')).rejects.toMatchObject({ reason: 'unreachable' });
  });

  it.each(['/silent', '/drip', '/redirect?to=/silent'])('the time counts from start to last byte: %s', path =>
    expect(fetched(path, { timeoutMs: 150 })).rejects.toMatchObject({
      reason: 'timeout',
      transient: true,
      message: 'the server took longer than 0.15 s',
    }),
  );

  it('a DNS lookup without an answer is limited by the same timeout', async () => {
    const hanging = allowing(`127.0.0.1:${server.port}`, () => new Promise(() => {}));
    await expect(hanging.fetch('http://slow.example/', { ...bounds, timeoutMs: 100 })).rejects.toMatchObject({
      reason: 'timeout',
    });
    await hanging.close();
  });

  it('the caller’s signal ends it with the signal’s reason', async () => {
    const stop = new AbortController();
    const going = fetched('/drip', { signal: stop.signal });
    const reason = new Error('cancelled');
    setImmediate(() => stop.abort(reason));
    await expect(going).rejects.toBe(reason);
    await expect(fetched('/', { signal: stop.signal })).rejects.toBe(reason);
  });
});

describe('closing', () => {
  it('ends requests in flight', async () => {
    const closing = allowing(`127.0.0.1:${server.port}`);
    const arrived = expect.poll(() => server.requests).toContain('GET /silent');
    const going = expect(closing.fetch(`${server.origin}/silent`, bounds)).rejects.toMatchObject({
      reason: 'unreachable',
    });
    await arrived;
    await closing.close();
    await going;
  });
});

describe('the log of a failed fetch', () => {
  it('has the host and the cause, but not the path, which may contain a token', async () => {
    const logger = pino({ level: 'silent' });
    const debug = vi.spyOn(logger, 'debug');
    const logging = createGuardedFetch({ logger });
    await expect(logging.fetch(`${canary.origin}/token`, bounds)).rejects.toThrow();
    await expect(logging.fetch('not a URL', bounds)).rejects.toThrow();
    expect(debug.mock.calls).toEqual([
      [{ host: `127.0.0.1:${canary.port}`, reason: 'port', err: expect.any(EgressError) }, 'fetch failed'],
      [{ host: undefined, reason: 'url', err: expect.any(EgressError) }, 'fetch failed'],
    ]);
    await logging.close();
  });
});

describe('an unreachable address', () => {
  it('refuses the connection', async () => {
    const closed = await startLoopbackServer(() => {});
    await closed.close();
    const allowed = allowing(`127.0.0.1:${closed.port}`);
    await expect(allowed.fetch(`${closed.origin}/`, bounds)).rejects.toMatchObject({
      reason: 'unreachable',
      transient: true,
      cause: { code: 'ECONNREFUSED' },
    });
    await allowed.close();
  });

  it('does not speak HTTP', async () => {
    const tcp = createTcpServer(socket => socket.resume().end('SSH-2.0-OpenSSH_9.6\r\n'));
    await new Promise<void>(listening => tcp.listen(0, '127.0.0.1', listening));
    const address = tcp.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const allowed = allowing(`127.0.0.1:${port}`);
    await expect(allowed.fetch(`http://127.0.0.1:${port}/`, bounds)).rejects.toMatchObject({ reason: 'unreachable' });
    await allowed.close();
    await new Promise(closed => tcp.close(closed));
  });
});
