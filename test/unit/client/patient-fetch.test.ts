/** Which requests the client sends again while the service is busy, and how long it waits. */
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { patientFetch } from '../../../client/src/patient-fetch.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const patience = { retries: 2, longestWaitSeconds: 1 };
const url = 'http://portal.example/v2/jobs';

/** Answers one after the other; `undefined` is a connection that fails. */
function service(...statuses: (number | undefined)[]) {
  const bodies: string[] = [];
  const fetch: typeof globalThis.fetch = async input => {
    bodies.push(await new Request(input).text());
    const status = statuses.shift();
    if (status === undefined) throw new TypeError('fetch failed');
    return new Response(null, { status, headers: { 'retry-after': '0' } });
  };
  const ask = async (init?: RequestInit) => {
    const answer = patientFetch(fetch, patience)(url, init);
    const isOver = answer.then(
      () => true,
      () => true,
    );
    // Time passes at once.
    while ((await Promise.race([isOver, setImmediate(false)])) === false) await vi.runAllTimersAsync();
    return answer;
  };
  return { bodies, ask };
}

const keyed = { method: 'POST', body: '{"list":[]}', headers: { 'idempotency-key': 'k' } };

describe('while the service answers 429 or 503, or not at all', () => {
  it.each([
    ['GET', {}],
    ['POST with an Idempotency-Key', keyed],
  ])('%s is sent again', async (_, init) => {
    const { ask, bodies } = service(429, undefined, 200);
    expect((await ask(init)).status).toBe(200);
    expect(bodies).toEqual(Array(3).fill('body' in init ? init.body : ''));
  });

  it('a POST without a key is not', async () => {
    const { ask, bodies } = service(429, 200);
    expect((await ask({ method: 'POST', body: '{}' })).status).toBe(429);
    expect(bodies).toHaveLength(1);
    await expect(service(undefined).ask({ method: 'DELETE' })).rejects.toThrow('fetch failed');
  });

  it('the last answer counts when the tries are used up', async () => {
    expect((await service(503, 503, 503, 200).ask()).status).toBe(503);
    await expect(service(undefined, undefined, undefined, 200).ask()).rejects.toThrow('fetch failed');
  });

  it('a Retry-After that is longer than the caller’s patience is answered at once', async () => {
    let asked = 0;
    const fetch = async () => {
      asked += 1;
      return new Response(null, { status: 429, headers: { 'retry-after': '3600' } });
    };
    expect((await patientFetch(fetch, patience)(url)).status).toBe(429);
    expect(asked).toBe(1);
  });

  it('a caller who gives up need not wait', async () => {
    const giveUp = new AbortController();
    const fetch = async () => {
      giveUp.abort(new Error('enough'));
      return new Response(null, { status: 503, headers: { 'retry-after': '1' } });
    };
    await expect(patientFetch(fetch, patience)(url, { signal: giveUp.signal })).rejects.toThrow('enough');
  });
});

it('other answers are passed on as they are', async () => {
  const { ask, bodies } = service(500, 200);
  expect((await ask()).status).toBe(500);
  expect(bodies).toHaveLength(1);
});
