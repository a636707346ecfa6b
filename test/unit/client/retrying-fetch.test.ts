/** Tests which requests the client retries while the service is busy, and its delays. */
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { retryingFetch } from '../../../client/src/retrying-fetch.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const options = { retries: 2, longestWaitSeconds: 1 };
const url = 'http://portal.example/v2/jobs';

/** Returns the statuses in sequence; `undefined` is a failed connection. */
function service(...statuses: (number | undefined)[]) {
  const bodies: string[] = [];
  const fetch: typeof globalThis.fetch = async input => {
    bodies.push(await new Request(input).text());
    const status = statuses.shift();
    if (status === undefined) throw new TypeError('fetch failed');
    return new Response(null, { status, headers: { 'retry-after': '0' } });
  };
  const ask = async (init?: RequestInit) => {
    const response = retryingFetch(fetch, options)(url, init);
    const isOver = response.then(
      () => true,
      () => true,
    );
    // Advances the fake timers until the call settles.
    while ((await Promise.race([isOver, setImmediate(false)])) === false) await vi.runAllTimersAsync();
    return response;
  };
  return { bodies, ask };
}

const keyed = { method: 'POST', body: '{"list":[]}', headers: { 'idempotency-key': 'k' } };

describe('after 429, 503 or a failed connection', () => {
  it.each([
    ['GET', {}],
    ['POST with an Idempotency-Key', keyed],
  ])('a %s is retried', async (_, init) => {
    const { ask, bodies } = service(429, undefined, 200);
    expect((await ask(init)).status).toBe(200);
    expect(bodies).toEqual(Array(3).fill('body' in init ? init.body : ''));
  });

  it('a POST without a key and a DELETE are not retried', async () => {
    const { ask, bodies } = service(429, 200);
    expect((await ask({ method: 'POST', body: '{}' })).status).toBe(429);
    expect(bodies).toHaveLength(1);
    await expect(service(undefined).ask({ method: 'DELETE' })).rejects.toThrow('fetch failed');
  });

  it('the last response is returned when the retries are used up', async () => {
    expect((await service(503, 503, 503, 200).ask()).status).toBe(503);
    await expect(service(undefined, undefined, undefined, 200).ask()).rejects.toThrow('fetch failed');
  });

  it('a response with a Retry-After above the limit is returned at once', async () => {
    let calls = 0;
    const fetch = async () => {
      calls += 1;
      return new Response(null, { status: 429, headers: { 'retry-after': '3600' } });
    };
    expect((await retryingFetch(fetch, options)(url)).status).toBe(429);
    expect(calls).toBe(1);
  });

  it('an abort ends the wait', async () => {
    const controller = new AbortController();
    const fetch = async () => {
      controller.abort(new Error('enough'));
      return new Response(null, { status: 503, headers: { 'retry-after': '1' } });
    };
    await expect(retryingFetch(fetch, options)(url, { signal: controller.signal })).rejects.toThrow('enough');
  });
});

it('other responses are returned unchanged', async () => {
  const { ask, bodies } = service(500, 200);
  expect((await ask()).status).toBe(500);
  expect(bodies).toHaveLength(1);
});
