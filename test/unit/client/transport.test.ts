/** Tests which requests the client retries, its delays, and its time limits. */
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PortalConnectionError, PortalTimeoutError } from '../../../client/src/index.ts';
import { limited, retrying, type SendOptions } from '../../../client/src/transport.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }));
afterEach(() => void vi.useRealTimers());

const url = 'http://portal.example/v2/jobs?kind=pdf';
const keyed = { method: 'POST', body: '{"list":[]}', headers: { 'idempotency-key': 'k' } };

type Answer = number | undefined | Response | ((request: Request) => Promise<Response>);

/** Gives the answers in sequence; a number is a status with `Retry-After: 0`, `undefined` a failed connection. */
function service(...answers: Answer[]) {
  const bodies: string[] = [];
  const fetch: typeof globalThis.fetch = async input => {
    const request = new Request(input);
    bodies.push(await request.clone().text());
    const answer = answers.shift();
    if (answer === undefined) throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });
    if (typeof answer === 'function') return await answer(request);
    if (typeof answer !== 'number') return answer;
    return new Response(null, { status: answer, headers: { 'retry-after': '0' } });
  };
  const send = limited(retrying(fetch, { retries: 2, longestWaitSeconds: 60 }), 120_000);
  const ask = async (init?: RequestInit, options?: SendOptions) => {
    const response = send(new Request(url, init), options);
    const isOver = response.then(
      () => true,
      () => true,
    );
    // Advances the fake timers until the call settles.
    while ((await Promise.race([isOver, setImmediate(false)])) === false) await vi.advanceTimersToNextTimerAsync();
    return response;
  };
  return { bodies, ask };
}

const busy = (retryAfter: string) => new Response(null, { status: 429, headers: { 'retry-after': retryAfter } });
/** Answers never, unless the request is aborted. */
const silent = ({ signal }: Request) =>
  new Promise<Response>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

describe('retries', () => {
  it.each([
    ['GET', {}],
    ['POST with an Idempotency-Key', keyed],
  ])('repeat a %s after 408, 429, 500, 502, 503, 504 and a failed connection', async (_, init) => {
    for (const status of [408, 429, 500, 502, 503, 504, undefined]) {
      const { ask, bodies } = service(status, status, 200);
      expect((await ask(init)).status, String(status)).toBe(200);
      expect(bodies).toEqual(Array(3).fill('body' in init ? init.body : ''));
    }
  });

  it('do not repeat a POST without a key, or a DELETE', async () => {
    const { ask, bodies } = service(429, 200);
    expect((await ask({ method: 'POST', body: '{}' })).status).toBe(429);
    expect(bodies).toHaveLength(1);
    await expect(service(undefined).ask({ method: 'DELETE' })).rejects.toThrow(PortalConnectionError);
  });

  it('do not repeat other responses', async () => {
    for (const status of [400, 404, 422, 501]) {
      const { ask, bodies } = service(status, 200);
      expect((await ask()).status).toBe(status);
      expect(bodies).toHaveLength(1);
    }
  });

  it('do not repeat the request for an event stream', async () => {
    const { ask, bodies } = service(503, 200);
    expect((await ask({}, { expects: 'events' })).status).toBe(503);
    expect(bodies).toHaveLength(1);
  });

  it('wait while a first try, whose answer was lost, is in progress; not for other conflicts', async () => {
    expect((await service(undefined, 409, 200).ask(keyed)).status).toBe(200);
    expect((await service(409, 200).ask(keyed)).status).toBe(409);
    expect((await service(undefined, 409, 200).ask()).status).toBe(409);
  });

  it('repeat a request whose JSON answer breaks off', async () => {
    const broken = new ReadableStream({ start: controller => controller.error(new TypeError('terminated')) });
    const headers = { 'content-type': 'application/json' };
    const { ask } = service(new Response(broken, { headers }), Response.json({ id: 1 }));
    expect(await (await ask()).json()).toEqual({ id: 1 });
  });

  it('end with the last response, or with a PortalConnectionError with address and cause', async () => {
    expect((await service(503, 503, 503, 200).ask()).status).toBe(503);
    const failed = await service(undefined, undefined, undefined, 200)
      .ask()
      .catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(PortalConnectionError);
    expect(failed).toMatchObject({
      message: 'GET http://portal.example/v2/jobs got no answer: connect ECONNREFUSED.',
      url,
      cause: { message: 'fetch failed' },
    });
  });

  it('wait as long as Retry-After says', async () => {
    const before = Date.now();
    expect((await service(busy('7'), 200).ask()).status).toBe(200);
    expect(Date.now() - before).toBe(7_000);
  });

  it('return a response whose Retry-After is above the maximum, or ends after the time limit', async () => {
    const { ask, bodies } = service(busy('61'), 200);
    expect((await ask()).status).toBe(429);
    expect((await service(busy('5'), 200).ask({}, { timeoutMs: 4_000 })).status).toBe(429);
    expect(bodies).toHaveLength(1);
  });

  it('end with an abort', async () => {
    const controller = new AbortController();
    const abort = async () => {
      controller.abort(new Error('enough'));
      return busy('1');
    };
    await expect(service(abort, 200).ask({ signal: controller.signal })).rejects.toThrow('enough');
  });
});

describe('the time limit', () => {
  it('is two minutes, or that of the call', async () => {
    for (const [options, ms] of [
      [{}, 120_000],
      [{ timeoutMs: 300 }, 300],
    ] as const) {
      const before = Date.now();
      const late = await service(silent)
        .ask(keyed, options)
        .catch((error: unknown) => error);
      expect(late).toBeInstanceOf(PortalTimeoutError);
      expect(late).toMatchObject({
        message: `POST http://portal.example/v2/jobs took longer than ${ms} ms.`,
        timeoutMs: ms,
      });
      expect(Date.now() - before).toBe(ms);
    }
  });

  it('of a file ends with its first bytes', async () => {
    const late = new ReadableStream({
      async start(controller) {
        await new Promise(resolve => setTimeout(resolve, 200_000));
        controller.enqueue(new TextEncoder().encode('%PDF-'));
        controller.close();
      },
    });
    const response = await service(new Response(late)).ask({}, { expects: 'file' });
    const text = response.text();
    await vi.advanceTimersByTimeAsync(200_000);
    expect(await text).toBe('%PDF-');
  });
});
